import OutlinedInput from '@mui/material/OutlinedInput';
import type { Settings } from '@switchyard/contract/operations/settings';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { firstMessage } from '../../../ui/inputs/picker-input.tsx';
import { monoFont } from '../../../ui/theme/fonts.ts';
import { type Fallbacks, fallbackLines, parseFallbackLines } from './fallback-lines.ts';

interface FallbacksInputProps {
  control: Control<Settings>;
  label: string;
  help: string;
}

const EXAMPLE = 'gpt-4o: gpt-4.1, claude-sonnet-4-5';

/** Models that stand in for others, a line for each. Text that cannot be read stays in the form, whose schema refuses it. */
export function FallbacksInput({ control, label, help }: FallbacksInputProps) {
  const { t } = useTranslation('settings');
  const { field, fieldState } = useController({ control, name: 'modelFallbacks' });
  const [typed, setTyped] = useState<string>();
  const text = currentText(typed, field.value);
  const parsed = parseFallbackLines(text);
  const error =
    'problem' in parsed
      ? t(`fallbacks.problem.${parsed.problem.kind}`, { line: parsed.problem.line })
      : firstMessage(fieldState.error);
  return (
    <FieldFrame label={label} help={help} hint={t('fallbacks.hint', { example: EXAMPLE })} error={error}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          multiline
          minRows={2}
          maxRows={12}
          value={text}
          onChange={({ target: { value } }) => {
            setTyped(value);
            const read = parseFallbackLines(value);
            field.onChange('fallbacks' in read ? read.fallbacks : value);
          }}
          onBlur={field.onBlur}
          inputRef={field.ref}
          error={error !== undefined}
          inputProps={{ 'aria-describedby': describedBy, spellCheck: false }}
          sx={{ fontFamily: monoFont, fontSize: '0.8125rem' }}
        />
      )}
    </FieldFrame>
  );
}

/** Returns the typed text, unless the form has been reset since. */
function currentText(typed: string | undefined, value: unknown): string {
  const stored = typeof value === 'string' ? value : fallbackLines(isFallbacks(value) ? value : {});
  if (typed === undefined) return stored;
  const parsed = parseFallbackLines(typed);
  const said = 'fallbacks' in parsed ? fallbackLines(parsed.fallbacks) : typed;
  return said === stored ? typed : stored;
}

function isFallbacks(value: unknown): value is Fallbacks {
  return typeof value === 'object' && value !== null;
}
