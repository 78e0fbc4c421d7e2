import OutlinedInput from '@mui/material/OutlinedInput';
import { type FieldValues, type UseControllerProps, useController } from 'react-hook-form';
import { FieldFrame, type FieldTexts } from '../form/field-frame.tsx';
import { monoFont } from '../theme/design-tokens.ts';

export type FieldProps<Values extends FieldValues> = FieldTexts &
  Pick<UseControllerProps<Values>, 'control' | 'name' | 'disabled'>;

type TextInputProps<Values extends FieldValues> = FieldProps<Values> & {
  type?: 'text' | 'email' | 'url' | 'password' | 'date';
  autoComplete?: string;
  autoFocus?: boolean;
  placeholder?: string;
  rows?: number;
  mono?: boolean;
};

export function TextInput<Values extends FieldValues>(props: TextInputProps<Values>) {
  const {
    label,
    help,
    hint,
    type = 'text',
    autoComplete = 'off',
    autoFocus = false,
    placeholder,
    rows,
    mono = false,
  } = props;
  const { field, fieldState } = useController(props);
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          name={field.name}
          type={type}
          inputRef={field.ref}
          value={field.value ?? ''}
          onChange={field.onChange}
          onBlur={field.onBlur}
          disabled={field.disabled ?? false}
          error={fieldState.invalid}
          autoComplete={autoComplete}
          autoFocus={autoFocus}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...(rows === undefined ? {} : { multiline: true, minRows: rows, maxRows: rows * 3 })}
          inputProps={{ 'aria-describedby': describedBy, spellCheck: false }}
          sx={mono ? { fontFamily: monoFont, fontSize: '0.8125rem' } : {}}
        />
      )}
    </FieldFrame>
  );
}
