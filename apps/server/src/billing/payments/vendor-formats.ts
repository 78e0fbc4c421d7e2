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

const OFFSET_MS = 8 * 3600 * 1000;

/** Formats the time in China, as both companies use it: `2026-11-22T04:30:00`. @param ms UTC */
export function formatChinaTime(ms: number): string {
  return new Date(ms + OFFSET_MS).toISOString().slice(0, 19);
}

/** Returns the beginning of a text that fits into the bytes of UTF-8, without a partial character. */
export function truncateToBytes(text: string, maxBytes: number): string {
  let size = 0;
  let kept = '';
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > maxBytes) break;
    kept += character;
  }
  return kept;
}
