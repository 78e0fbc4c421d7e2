import type { CreateChannel } from '@switchyard/contract/channels';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { NumberInput } from '../../ui/form/number-input.tsx';
import { BuyPricesInput } from './buy-prices-input.tsx';

/** What the operator pays, for the margin. */
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
    </>
  );
}
