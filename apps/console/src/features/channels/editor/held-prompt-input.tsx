import { type CreateChannel, heldPrompt } from '@switchyard/contract/channels/channels';
import type { Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { SelectInput } from '../../../ui/inputs/choice-inputs.tsx';

/** Renders the share of prompt tokens to hold before the channel is called; the charge is unaffected. */
export function HeldPromptInput({ control }: { control: Control<CreateChannel> }) {
  const { t } = useTranslation('channels');
  return (
    <SelectInput
      control={control}
      name="held_prompt"
      label={t('heldPrompt')}
      help={t('heldPromptHelp')}
      options={heldPrompt.options.map((value) => ({ value, label: t(`heldPromptOf.${value}`) }))}
    />
  );
}
