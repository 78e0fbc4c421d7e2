import { type CreateChannel, deadlineDefaults } from '@switchyard/contract/channels/channels';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FoldedSection, TwoColumns } from '../../../ui/form/form-rows.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';

interface DeadlinesSectionProps {
  control: Control<CreateChannel>;
  /** Number of folded fields that differ from their defaults. */
  changed: number;
}

/** Renders the timeout of each phase of a call; an empty field uses the default in its placeholder. */
export function DeadlinesSection({ control, changed }: DeadlinesSectionProps) {
  const { t } = useTranslation('channels');
  const shared = (name: keyof typeof deadlineDefaults) => ({
    control,
    name: `deadlines.${name}` as const,
    unit: 's',
    placeholder: String(deadlineDefaults[name]),
  });
  return (
    <FoldedSection title={t('deadlines')} changed={changed} startOpen={changed > 0}>
      <TwoColumns>
        <NumberInput {...shared('connect')} label={t('connectDeadline')} />
        <NumberInput {...shared('first_byte')} label={t('firstByteDeadline')} help={t('firstByteHelp')} />
        <NumberInput {...shared('first_content')} label={t('firstContentDeadline')} help={t('firstContentHelp')} />
        <NumberInput {...shared('idle')} label={t('idleDeadline')} help={t('firstContentHelp')} />
        <NumberInput {...shared('total')} label={t('totalDeadline')} />
        <NumberInput
          control={control}
          name="deadlines.read_on_seconds"
          unit="s"
          label={t('readOn')}
          help={t('readOnHelp')}
        />
      </TwoColumns>
    </FoldedSection>
  );
}
