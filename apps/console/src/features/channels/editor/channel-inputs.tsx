import Skeleton from '@mui/material/Skeleton';
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { lazy, Suspense, useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { firstMessage } from '../../../ui/inputs/picker-input.tsx';

const JsonEditor = lazy(() =>
  import('../../../ui/inputs/json-editor.tsx').then(({ JsonEditor }) => ({ default: JsonEditor })),
);

interface BodyChangesInputProps {
  control: Control<CreateChannel>;
  label: string;
  help: string;
  hint: string;
}

/** A list of changes, as JSON. Text that is none stays in the form as text, which its schema refuses. */
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
