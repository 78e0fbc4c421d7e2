const WORDS_MAX = 200;

/** What a vendor says, fit to be shown and stored: one short line that repeats no secret. */
export function vendorWords(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => (secret === '' ? [] : [secret, encodeURIComponent(secret)]));
  const without = known.reduce((left, secret) => left.replaceAll(secret, '***'), text);
  return without
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, WORDS_MAX);
}
