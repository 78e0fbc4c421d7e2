const MESSAGE_MAX = 200;

/** Shortens a vendor's message to one line that contains no secret, so that it can be shown and stored. */
export function sanitizeVendorMessage(text: string, secrets: readonly string[]): string {
  const known = secrets.flatMap((secret) => (secret === '' ? [] : [secret, encodeURIComponent(secret)]));
  const without = known.reduce((left, secret) => left.replaceAll(secret, '***'), text);
  return without
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MESSAGE_MAX);
}
