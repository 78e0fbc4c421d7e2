import Box from '@mui/material/Box';
import { useTranslation } from 'react-i18next';

const steps: Record<PasswordStrength, { filled: number; colour: string }> = {
  short: { filled: 1, colour: 'error.main' },
  weak: { filled: 1, colour: 'error.main' },
  fair: { filled: 2, colour: 'warning.main' },
  strong: { filled: 3, colour: 'success.main' },
};

/** Shows the strength of a new password, if it is not empty. */
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
          sx={{ width: 40, height: 4, borderRadius: 999, bgcolor: step <= filled ? colour : 'neutral.soft' }}
        />
      ))}
      {t(`strength.${strength}`)}
    </Box>
  );
}

type PasswordStrength = 'short' | 'weak' | 'fair' | 'strong';

const SHORTEST = 8;
const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];

/**
 * Estimates a password's strength as a hint, not a rule. Length counts most, kinds of characters less;
 * repetition makes it weak. Twelve mixed characters or sixteen of any kind are strong.
 */
export function passwordStrength(password: string): PasswordStrength {
  const characters = Array.from(password);
  if (characters.length < SHORTEST) return 'short';
  const different = new Set(characters).size;
  if (different < SHORTEST / 2 + 1) return 'weak';
  const mixed = kinds.filter((kind) => kind.test(password)).length;
  const points = characters.length + 2 * (mixed - 1);
  if (points >= 16) return 'strong';
  return points >= 12 ? 'fair' : 'weak';
}
