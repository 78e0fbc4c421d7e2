import IconButton from '@mui/material/IconButton';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput from '@mui/material/OutlinedInput';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useState } from 'react';
import { type FieldValues, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldFrame } from '../form/field-frame.tsx';
import type { FieldProps } from './text-input.tsx';

type SecretInputProps<Values extends FieldValues> = FieldProps<Values> & {
  /** Hint of the stored secret, for instance its last characters; an empty field keeps the secret. */
  stored?: string;
  rows?: number;
};

/** Edits a secret. The server never sends the stored one. */
export function SecretInput<Values extends FieldValues>(props: SecretInputProps<Values>) {
  const { t } = useTranslation();
  const { label, help, hint, stored, rows } = props;
  const { field, fieldState } = useController(props);
  const [shown, setShown] = useState(false);
  const placeholder = stored === undefined || stored === '' ? '' : t('form.secretStored', { hint: stored });
  return (
    <FieldFrame label={label} help={help} hint={hint} error={fieldState.error?.message}>
      {({ id, describedBy }) => (
        <OutlinedInput
          id={id}
          fullWidth
          name={field.name}
          type={shown || rows !== undefined ? 'text' : 'password'}
          inputRef={field.ref}
          value={field.value ?? ''}
          onChange={field.onChange}
          onBlur={field.onBlur}
          disabled={field.disabled ?? false}
          error={fieldState.invalid}
          autoComplete="new-password"
          placeholder={placeholder}
          {...(rows === undefined ? {} : { multiline: true, minRows: rows, maxRows: rows * 3 })}
          inputProps={{ 'aria-describedby': describedBy, spellCheck: false, 'data-1p-ignore': true }}
          endAdornment={
            rows === undefined && (
              <InputAdornment position="end">
                <IconButton
                  size="small"
                  edge="end"
                  onClick={() => setShown(!shown)}
                  aria-label={t(shown ? 'form.hide' : 'form.show')}
                >
                  {shown ? <IconEyeOff size={18} /> : <IconEye size={18} />}
                </IconButton>
              </InputAdornment>
            )
          }
        />
      )}
    </FieldFrame>
  );
}
