import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { POINTS_PER_USD } from '@switchyard/contract/money';
import { useState } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../form/field-frame.tsx';
import { useFormat } from '../format/use-format.ts';
import { parseNumberText } from './parse-number-text.ts';
import type { FieldProps } from './text-input.tsx';

type NumberInputProps<Values extends FieldValues> = FieldProps<Values> & {
  /** Unit after the number: "s", "rpm". */
  unit?: string;
  before?: string;
  placeholder?: string;
  /** Factor of the value: the field shows value ÷ scale; 1 by default. */
  scale?: number;
};

/**
 * Edits a number. An empty field is null, because undefined means untouched to the form library. Invalid text
 * becomes NaN, which the schema rejects.
 */
export function NumberInput<Values extends FieldValues>(props: NumberInputProps<Values>) {
  const { label, help, hint, unit, before, placeholder, scale = 1 } = props;
  const { field, fieldState } = useController(props);
  const value: unknown = field.value;
  const [typed, setTyped] = useState('');
  // "1." and "1" are the same number, so the entered text stays until the value changes from outside.
  const text = Object.is(parse(typed, scale), value) ? typed : numberText(value, scale);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          name={field.name}
          inputRef={field.ref}
          value={text}
          onChange={(event) => {
            setTyped(event.target.value);
            field.onChange(parse(event.target.value, scale));
          }}
          onBlur={field.onBlur}
          disabled={field.disabled ?? false}
          error={fieldState.invalid}
          autoComplete="off"
          {...(placeholder === undefined ? {} : { placeholder })}
          inputProps={{ inputMode: 'decimal', 'aria-describedby': describedBy }}
          startAdornment={before === undefined ? undefined : <InputAdornment position="start">{before}</InputAdornment>}
          endAdornment={unit === undefined ? undefined : <InputAdornment position="end">{unit}</InputAdornment>}
        />
      )}
    </FieldFrame>
  );
}

function numberText(value: unknown, scale: number): string {
  return typeof value === 'number' && Number.isFinite(value) ? String(value / scale) : '';
}

function parse(text: string, scale: number): number | null {
  if (text.trim() === '') return null;
  const value = parseNumberText(text) * scale;
  // A USD amount has whole points; 0.1 × 500,000 must not become 50000.000000000007.
  return scale === 1 ? value : Math.round(value);
}

/** Edits an amount in USD that the form holds in points. */
export function PointsInput<Values extends FieldValues>(props: FieldProps<Values>) {
  const { t } = useTranslation();
  const format = useFormat();
  const { field } = useController(props);
  const value: unknown = field.value;
  const exact = typeof value === 'number' ? t('form.points', { points: format.number(value) }) : undefined;
  return <NumberInput {...props} before="$" scale={POINTS_PER_USD} hint={props.hint ?? exact} />;
}
