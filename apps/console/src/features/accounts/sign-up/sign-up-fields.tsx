import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { StrengthMeter } from '../../../ui/display/password-strength.tsx';
import { type PlainField, PlainInput } from '../../../ui/inputs/plain-input.tsx';

/** A password that somebody chooses, twice. */
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
