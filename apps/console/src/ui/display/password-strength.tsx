import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';
import { type PasswordStrength, passwordStrength } from './password-strength.ts';

const steps: Record<PasswordStrength, { filled: number; colour: string }> = {
  short: { filled: 1, colour: 'error.main' },
  weak: { filled: 1, colour: 'error.main' },
  fair: { filled: 2, colour: 'warning.main' },
  strong: { filled: 3, colour: 'success.main' },
};

/** Shows the strength of a new password; renders nothing while it is empty. */
export function StrengthMeter({ password }: { password: string }) {
  const { t } = useTranslation();
  if (password === '') return null;
  const strength = passwordStrength(password);
  const { filled, colour } = steps[strength];
  return (
    <Box
      aria-live="polite"
      sx={{ display: 'flex', alignItems: 'center', gap: 1, fontSize: '0.75rem', color: 'text.secondary' }}
    >
      {[1, 2, 3].map((step) => (
        <Box
          key={step}
          aria-hidden
          sx={{
            width: 40,
            height: 4,
            borderRadius: 999,
            bgcolor: step <= filled ? colour : 'neutral.soft',
          }}
        />
      ))}
      {t(`strength.${strength}`)}
    </Box>
  );
}
