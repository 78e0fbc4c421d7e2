import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { StrengthMeter } from '../../../ui/display/password-strength.tsx';
import { type PlainField, PlainInput } from '../../../ui/inputs/plain-input.tsx';

/** Renders the two inputs of a new password. */
export function NewPasswordInputs({ password, confirm }: { password: PlainField; confirm: PlainField }) {
  const { t } = useTranslation('sign-up');
  return (
    <>
      <Box sx={{ display: 'grid', gap: 1 }}>
        <PlainInput
          field={password}
          label={t('password')}
          hint={t('passwordHint')}
          type="password"
          autoComplete="new-password"
        />
        <StrengthMeter password={password.value} />
      </Box>
      <PlainInput field={confirm} label={t('confirm')} type="password" autoComplete="new-password" />
    </>
  );
}

const NAME_SHORTEST = 3;
const PASSWORD_SHORTEST = 8;

/** Returns checks that find invalid input before the server does; undefined means valid. */
export function useFieldRules() {
  const { t } = useTranslation(['sign-up', 'errors']);
  const required = (value: string) => (value.trim() === '' ? t('errors:rule.required') : undefined);
  const atLeast = (value: string, limit: number) =>
    Array.from(value).length < limit ? t('errors:rule.textTooSmall', { limit }) : undefined;
  return {
    required,
    username: (value: string) =>
      required(value) ??
      atLeast(value.trim(), NAME_SHORTEST) ??
      (/[@\s]/.test(value.trim()) ? t('usernameRule') : undefined),
    email: (value: string) =>
      required(value) ?? (/^[^@\s]+@[^@\s]+\.[^@\s]+$/.test(value.trim()) ? undefined : t('errors:rule.email')),
    password: (value: string) => required(value) ?? atLeast(value, PASSWORD_SHORTEST),
    confirm: (value: string, password: string) =>
      required(value) ?? (value === password ? undefined : t('confirmWrong')),
  };
}
