import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import OutlinedInput from '@mui/material/OutlinedInput';
import { ApiError } from '@switchyard/contract/http-exchange';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { FormError } from '../../../ui/feedback/form-error.tsx';
import { useErrorText } from '../../../ui/feedback/use-error-text.ts';
import { FieldFrame } from '../../../ui/form/field-frame.tsx';
import { useSignIn } from '../session/queries.ts';

const fields = ['username', 'password'] as const;
type Field = (typeof fields)[number];
const inputs = {
  username: { type: 'text', autoComplete: 'username', autoCapitalize: 'none', spellCheck: false },
  password: { type: 'password', autoComplete: 'current-password' },
} as const;

/**
 * Asks for user name and password. The form library and its schemas would add a quarter to the first load.
 * @param onSecondStep called when the password is correct and a second factor is required
 */
export function SignInForm({ onSecondStep }: { onSecondStep: () => void }) {
  const { t } = useTranslation(['sign-in', 'errors']);
  const sentence = useErrorText();
  const signIn = useSignIn();
  const [empty, setEmpty] = useState<Field>();

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const sent = new FormData(form);
    const read = (field: Field) => {
      const value = sent.get(field);
      return typeof value === 'string' ? value : '';
    };
    const missing = fields.find((field) => read(field).trim() === '');
    setEmpty(missing);
    if (missing === undefined)
      signIn.mutate(
        { username: read('username'), password: read('password') },
        { onError: (error) => needsSecondStep(error) && onSecondStep() },
      );
    else form.querySelector<HTMLInputElement>(`[name=${missing}]`)?.focus();
  };

  return (
    <Box component="form" noValidate onSubmit={submit} sx={{ display: 'grid', gap: 2 }}>
      {fields.map((name) => (
        <FieldFrame key={name} label={t(name)} error={empty === name ? t('errors:rule.required') : undefined}>
          {({ id, describedBy }) => (
            <OutlinedInput
              id={id}
              name={name}
              fullWidth
              autoFocus={name === 'username'}
              error={empty === name}
              inputProps={{ ...inputs[name], 'aria-describedby': describedBy }}
            />
          )}
        </FieldFrame>
      ))}
      {signIn.isError && !needsSecondStep(signIn.error) && <FormError text={sentence(signIn.error)} />}
      <Button type="submit" variant="contained" size="large" fullWidth loading={signIn.isPending}>
        {t('submit')}
      </Button>
    </Box>
  );
}

function needsSecondStep(error: Error): boolean {
  return error instanceof ApiError && error.code === 'second-factor-required';
}
