import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../form/field-frame.tsx';
import { useFormat } from '../format/use-format.ts';
import type { FieldProps } from './text-input.tsx';

const DAY = 86_400;
const presets = [1, 30, 365] as const;

type MomentInputProps<Values extends FieldValues> = FieldProps<Values> & {
  /** Value that means "never"; adds a button for it. */
  never?: number;
};

/** Edits a time in UTC seconds, entered in the browser's time zone, with buttons for common distances. */
export function MomentInput<Values extends FieldValues>(props: MomentInputProps<Values>) {
  const { t } = useTranslation();
  const format = useFormat();
  const { label, help, hint, never } = props;
  const { field, fieldState } = useController(props);
  const value: unknown = field.value;
  const isNever = never !== undefined && value === never;
  const shown = typeof value === 'number' && !isNever ? value : undefined;
  const below = isNever ? t('form.never') : shown === undefined ? undefined : format.relative(shown);
  return (
    <FieldFrame label={label} help={help} hint={hint ?? below} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 0.5, alignItems: 'center' }}>
          <OutlinedInput
            id={id}
            type="datetime-local"
            inputRef={field.ref}
            value={shown === undefined ? '' : localText(shown)}
            onChange={(event) => field.onChange(parseLocal(event.target.value) ?? never ?? null)}
            onBlur={field.onBlur}
            disabled={field.disabled ?? false}
            error={fieldState.invalid}
            inputProps={{ 'aria-describedby': describedBy }}
            sx={{ width: 224, mr: 0.5 }}
          />
          {presets.map((days) => (
            <Button
              key={days}
              size="small"
              color="inherit"
              sx={{ minWidth: 0, px: 1 }}
              onClick={() => field.onChange(Math.floor(Date.now() / 1000) + days * DAY)}
            >
              {t('form.inDays', { count: days })}
            </Button>
          ))}
          {never !== undefined && (
            <Button size="small" color={isNever ? 'primary' : 'inherit'} onClick={() => field.onChange(never)}>
              {t('form.never')}
            </Button>
          )}
        </Box>
      )}
    </FieldFrame>
  );
}

/** Returns the value of a `datetime-local` field in the browser's time zone. */
export function localText(seconds: number): string {
  const shifted = new Date(seconds * 1000 - new Date(seconds * 1000).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Returns UTC seconds; undefined for an empty or incomplete field. */
export function parseLocal(text: string): number | undefined {
  const milliseconds = new Date(text).getTime();
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1000);
}
