import type { CreateChannel } from '@switchyard/contract/channels/channels';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { TwoColumns } from '../../../ui/form/two-columns.tsx';
import { NumberInput, PointsInput } from '../../../ui/inputs/number-input.tsx';
import { BuyPricesInput } from './buy-prices-input.tsx';
import { HeldPromptInput } from './held-prompt-input.tsx';

/** Renders the operator's cost, for the margin, and the channel's spending cap. */
export function CostSection({ control }: { control: Control<CreateChannel> }) {
  const { t } = useTranslation('channels');
  return (
    <>
      <NumberInput
        control={control}
        name="cost.ratio"
        label={t('costRatio')}
        hint={t('costRatioHint')}
        before="×"
      />
      <BuyPricesInput control={control} />
      <HeldPromptInput control={control} />
      <TwoColumns>
        {(['day', 'month'] as const).map((period) => (
          <PointsInput
            key={period}
            control={control}
            name={`caps.${period}`}
            label={t(`caps.${period}`)}
            help={t('caps.help')}
          />
        ))}
      </TwoColumns>
    </>
  );
}
