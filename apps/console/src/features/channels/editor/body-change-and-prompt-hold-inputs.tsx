import Skeleton from '@mui/material/Skeleton';
import { type CreateChannel, heldPromptShare } from '@switchyard/contract/channels/channels';
import { lazy, Suspense, useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { firstMessage } from '../../../ui/inputs/multi-select-input.tsx';
import { SelectInput } from '../../../ui/inputs/select-and-switch-inputs.tsx';
import { toOptions } from '../../../ui/inputs/select-options.ts';

const JsonEditor = lazy(() =>
  import('../../../ui/inputs/json-editor.tsx').then(({ JsonEditor }) => ({ default: JsonEditor })),
);

interface BodyChangesInputProps {
  control: Control<CreateChannel>;
  label: string;
  help: string;
  hint: string;
}

/** Edits body changes as JSON. Invalid JSON stays in the form as text, which the schema rejects. */
export function BodyChangesInput({ control, label, help, hint }: BodyChangesInputProps) {
  const { field, fieldState } = useController({ control, name: 'request_changes.bodies' });
  const [text, setText] = useState(() => textOf(field.value));
  return (
    <FieldFrame label={label} help={help} hint={hint} error={firstMessage(fieldState.error)}>
      {() => (
        <Suspense fallback={<Skeleton variant="rounded" height={180} />}>
          <JsonEditor
            label={label}
            value={text}
            onChange={(typed) => {
              setText(typed);
              field.onChange(parsed(typed));
            }}
            onBlur={field.onBlur}
          />
        </Suspense>
      )}
    </FieldFrame>
  );
}

function textOf(changes: CreateChannel['request_changes']['bodies']): string {
  return changes.length === 0 ? '' : JSON.stringify(changes, null, 2);
}

function parsed(text: string): unknown {
  if (text.trim() === '') return [];
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Renders the share of prompt tokens to hold before the channel is called; the charge is unaffected. */
export function HeldPromptInput({ control }: { control: Control<CreateChannel> }) {
  const { t } = useTranslation('channels');
  return (
    <SelectInput
      control={control}
      name="held_prompt"
      label={t('heldPrompt')}
      help={t('heldPromptHelp')}
      options={toOptions(heldPromptShare.options, (value) => t(`heldPromptOf.${value}`))}
    />
  );
}
