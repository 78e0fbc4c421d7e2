import OutlinedInput from '@mui/material/OutlinedInput';
import type { Settings } from '@switchyard/contract/operations/settings';
import { useState } from 'react';
import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { firstMessage } from '../../../ui/inputs/multi-select-input.tsx';
import { monoFont } from '../../../ui/theme/design-tokens.ts';

interface FallbacksInputProps {
  control: Control<Settings>;
  label: string;
  help: string;
}

const EXAMPLE = 'gpt-4o: gpt-4.1, claude-sonnet-4-5';

/** Edits model fallbacks, one line for each. Invalid text stays in the form, whose schema rejects it. */
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

type Fallbacks = Settings['modelFallbacks'];

interface Problem {
  kind: 'form' | 'twice' | 'many' | 'long';
  /** Line number from 1. */
  line: number;
}

const STAND_INS_MAX = 10;
const NAME_LENGTH_MAX = 128;

export function fallbackLines(fallbacks: Fallbacks): string {
  return Object.entries(fallbacks)
    .map(([model, standIns]) => `${model}: ${standIns.join(', ')}`)
    .join('\n');
}

/** Returns the parsed lines or the first problem. Empty lines are ignored. */
export function parseFallbackLines(text: string): { fallbacks: Fallbacks } | { problem: Problem } {
  const found = new Map<string, string[]>();
  for (const [index, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue;
    const parsed = parseLine(written);
    if (typeof parsed === 'string') return { problem: { kind: parsed, line: index + 1 } };
    if (found.has(parsed.model)) return { problem: { kind: 'twice', line: index + 1 } };
    found.set(parsed.model, parsed.standIns);
  }
  return { fallbacks: Object.fromEntries(found) };
}

/** Parses a line such as `gpt-4o: o3, o4`. Only a colon before a space separates (`llama3:8b` is a name). */
function parseLine(line: string): { model: string; standIns: string[] } | Problem['kind'] {
  const [, model = '', rest = ''] = /^\s*(\S+?)\s*:\s+(.*)$/.exec(line) ?? [];
  const standIns = rest
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (model === '' || standIns.length === 0) return 'form';
  if (standIns.length > STAND_INS_MAX) return 'many';
  return [model, ...standIns].some((name) => name.length > NAME_LENGTH_MAX) ? 'long' : { model, standIns };
}
