const HINT_LENGTH = 4;
/** Of a shorter secret, four characters would tell too much. */
const HINT_FROM_LENGTH = 12;

/** By what people know a secret again: its last characters. Empty when it is too short to show any. */
export function secretHint(secret: string): string {
  return secret.length < HINT_FROM_LENGTH ? '' : secret.slice(-HINT_LENGTH);
}

/** The same with bullets for a secret that is set and too short to show any; empty for none. */
export function hintOrBullets(secret: string): string {
  if (secret === '') return '';
  return secretHint(secret) || '•'.repeat(HINT_LENGTH);
}
