import OutlinedInput from '@mui/material/OutlinedInput';
import type { ReactNode } from 'react';
import { FieldFrame, type FieldTexts } from '../form/field-frame.tsx';

export interface PlainField {
  name: string;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

interface PlainInputProps extends FieldTexts {
  field: PlainField;
  type?: 'text' | 'email' | 'password';
  autoComplete: string;
  autoFocus?: boolean;
  inputMode?: 'numeric';
  /** Content inside the field at its end. */
  end?: ReactNode;
}

/** Renders a text field for forms without the form library. */
export function PlainInput({ field, type = 'text', autoFocus = false, end, ...rest }: PlainInputProps) {
  const { label, hint, autoComplete, inputMode } = rest;
  return (
    <FieldFrame label={label} hint={hint} error={field.error}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          name={field.name}
          type={type}
          value={field.value}
          onChange={(event) => field.onChange(event.target.value)}
          fullWidth
          autoFocus={autoFocus}
          autoComplete={autoComplete}
          error={field.error !== undefined}
          endAdornment={end}
          inputProps={{ 'aria-describedby': describedBy, autoCapitalize: 'none', spellCheck: false, inputMode }}
        />
      )}
    </FieldFrame>
  );
}
