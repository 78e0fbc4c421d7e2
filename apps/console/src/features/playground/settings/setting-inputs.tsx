import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import OutlinedInput from '@mui/material/OutlinedInput';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { parseNumberText } from '../../../ui/inputs/parse-number-text.ts';

/** OpenAI's maximum. */
const MOST_STOPS = 4;

interface OptionalNumberProps {
  label: string;
  help: string;
  value: number | undefined;
  from: number;
  to: number;
  whole?: boolean;
  onChange: (value: number | undefined) => void;
}

/** Edits a number that is not sent while it is empty or out of range. */
export function OptionalNumber({ label, help, value, from, to, whole = false, onChange }: OptionalNumberProps) {
  const { t } = useTranslation('playground');
  const [typed, setTyped] = useState(value === undefined ? '' : String(value));
  const read = (text: string) => {
    const number = text.trim() === '' ? undefined : parseNumberText(text);
    const valid = number === undefined || (number >= from && number <= to && (!whole || Number.isInteger(number)));
    return { number: valid ? number : undefined, valid };
  };
  const { valid } = read(typed);
  return (
    <FieldFrame label={label} help={help} error={valid ? undefined : t('range', { from, to })}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          value={typed}
          placeholder={t('notSet')}
          error={!valid}
          autoComplete="off"
          inputProps={{ inputMode: 'decimal', 'aria-describedby': describedBy }}
          onChange={(event) => {
            setTyped(event.target.value);
            onChange(read(event.target.value).number);
          }}
        />
      )}
    </FieldFrame>
  );
}

interface OptionalWordProps {
  label: string;
  help: string;
  /** Suggested values; any other can be entered. */
  options: readonly string[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Edits a word that is not sent while it is empty. */
export function OptionalWord({ label, help, options, value, onChange }: OptionalWordProps) {
  const { t } = useTranslation('playground');
  return (
    <FieldFrame label={label} help={help} error={undefined}>
      {({ id }) => (
        <Autocomplete
          id={id}
          freeSolo
          autoSelect
          options={options}
          value={value ?? null}
          onChange={(_, next) => onChange(next?.trim() || undefined)}
          renderInput={(params) => <TextField {...params} placeholder={t('notSet')} />}
        />
      )}
    </FieldFrame>
  );
}

interface StopInputProps {
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** Edits the stop sequences. */
export function StopInput({ value, onChange }: StopInputProps) {
  const { t } = useTranslation('playground');
  return (
    <FieldFrame label={t('stopTexts')} help={t('stopTextsHelp')} error={undefined}>
      {({ id }) => (
        <Autocomplete
          id={id}
          multiple
          freeSolo
          autoSelect
          options={[]}
          value={[...value]}
          onChange={(_, next) => onChange([...new Set(next)].slice(0, MOST_STOPS))}
          renderInput={(params) => (
            <TextField {...params} {...(value.length === 0 ? { placeholder: t('notSet') } : {})} />
          )}
        />
      )}
    </FieldFrame>
  );
}

interface SwitchRowProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function SwitchRow({ label, checked, onChange }: SwitchRowProps) {
  const id = useId();
  return (
    <Box sx={{ display: 'flex', alignItems: 'center', minHeight: 36 }}>
      <Box component="label" htmlFor={id} sx={{ flexGrow: 1, fontSize: '0.8125rem', fontWeight: 500 }}>
        {label}
      </Box>
      <Switch id={id} size="small" checked={checked} onChange={(_, next) => onChange(next)} />
    </Box>
  );
}
