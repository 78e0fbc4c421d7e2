/** Redaction of secrets in logs, by the names of fields and by the form of texts; hints of secrets for forms. */

const REDACTED = '[redacted]';
const HINT_LENGTH = 4;
/** Minimum length of a secret for a hint; of a shorter one, four characters would reveal too much. */
const HINT_FROM_LENGTH = 12;

const secretNames = new Set(['authorization', 'cookie', 'setcookie', 'key', 'proxy']);
const secretEnding = /(?:passwords?|secrets?|token|apikeys?|authorization|privatekey|accesskey|credentials?)$/;

function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[^a-z]/g, '');
  return secretNames.has(plain) || secretEnding.test(plain);
}

/**
 * Patterns with the part before the secret, which is kept. All have bounded lookahead, because logged text may be an
 * attacker's.
 */
const patterns: readonly RegExp[] = [
  /\b(sk-|sk_|pk_|rk_|AIza|AQ\.|AKIA|ya29\.|gh[oprsu]_|github_pat_|glpat-|xai-|xox[abprs]-|gsk_|hf_|nvapi-|whsec_|eyJ)[\w.-]{8,}/g,
  /\b((?:Bearer|Basic)\s+)[\w.~+/=-]{6,}/gi,
  /\b([a-z][a-z0-9+.-]{0,19}:\/\/)[^\s/@"']+(?=@)/gi,
  /([?&#](?:[\w-]{0,40}(?:key|token|secret|password|signature|sig|code))=)[^&#\s"']+/gi,
  /(\/bot)\d+:[\w-]+/g,
  // Header, or a JSON field that is quoted within a text.
  /\b((?:[\w-]{0,40}api[-_]?key|[\w-]{0,40}secret|password|access[-_]token|refresh[-_]token|authorization)["'\\]{0,2}\s{0,2}[:=]\s{0,2}["'\\]{0,2})(?!Bearer|Basic|\[redacted\])[^\s"'\\,;&}]{4,}/gi,
];

/** Removes keys, credentials and secrets in addresses from a text. */
export function redactText(text: string): string {
  return patterns.reduce((rest, pattern) => rest.replace(pattern, `$1${REDACTED}`), text);
}

/** Removes secrets from a JSON value, at any depth. */
export function redactValue(value: unknown): unknown {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, isSecretName(name) ? REDACTED : redactValue(inner)]),
  );
}

/** Returns the last characters of a secret, by which users recognize it. Empty if it is too short to show any. */
export function secretHint(secret: string): string {
  return secret.length < HINT_FROM_LENGTH ? '' : secret.slice(-HINT_LENGTH);
}

/** Returns the hint, bullets for a secret that is too short, or an empty text for none. */
export function hintOrBullets(secret: string): string {
  if (secret === '') return '';
  return secretHint(secret) || '•'.repeat(HINT_LENGTH);
}
