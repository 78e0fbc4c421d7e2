const HINT_LENGTH = 4;
/** Minimum length of a secret for a hint; of a shorter one, four characters would reveal too much. */
const HINT_FROM_LENGTH = 12;

/** Returns the last characters of a secret, by which users recognize it. Empty if it is too short to show any. */
export function secretHint(secret: string): string {
  return secret.length < HINT_FROM_LENGTH ? '' : secret.slice(-HINT_LENGTH);
}

/** Returns the hint, bullets for a secret that is too short, or an empty text for none. */
export function hintOrBullets(secret: string): string {
  if (secret === '') return '';
  return secretHint(secret) || '•'.repeat(HINT_LENGTH);
}
