export type PasswordStrength = 'short' | 'weak' | 'fair' | 'strong';

const SHORTEST = 8;
const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^a-zA-Z\d]/];

/**
 * A hint, not a gate: length counts most, kinds of characters a little, repetition takes away.
 * Twelve mixed characters or sixteen of any kind are strong.
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
