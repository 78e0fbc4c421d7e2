import { deadlineDefaults } from '@switchyard/contract/channels/channel-nested-settings';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FoldedSection, TwoColumns } from '../../../ui/form/form-layout.tsx';
import { NumberInput } from '../../../ui/inputs/number-input.tsx';
import { SelectInput, SwitchInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';
import { BodyChangesInput } from './body-change-and-prompt-hold-inputs.tsx';

interface RequestsSectionProps {
  control: Control<CreateChannel>;
  /** Number of folded fields that differ from their defaults. */
  changed: number;
}

export const STREAMINGS = ['as-asked', 'never', 'always'] as const;

export function RequestsSection({ control, changed }: RequestsSectionProps) {
  const { t } = useTranslation('channels');
  return (
    <FoldedSection title={t('requestChanges')} changed={changed} startOpen={changed > 0}>
      <SelectInput
        control={control}
        name="request_changes.streaming"
        label={t('streaming')}
        help={t('streamingHelp')}
        options={toOptions(STREAMINGS, (value) => t(`streamingOf.${value}`))}
      />
      <SwitchInput
        control={control}
        name="request_changes.system_as_user"
        label={t('systemAsUser')}
        help={t('systemAsUserHelp')}
      />
      <BodyChangesInput
        control={control}
        label={t('bodyChanges')}
        help={t('bodyChangesHelp')}
        hint={BODY_CHANGES_EXAMPLE}
      />
    </FoldedSection>
  );
}

export const BODY_CHANGES_EXAMPLE =
  '[{"models": ["gpt-5*"], "defaults": {"reasoning.effort": "low"}, "set": {"store": false}, "remove": ["user"], "rename": {"max_tokens": "max_completion_tokens"}}]';

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
