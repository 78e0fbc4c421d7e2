/**
 * Replaces known secrets in the text of a vendor or another receiver. Whoever configures a channel chooses the secret, and
 * its server the text. `replaceAll` takes time by the product of their lengths if both repeat themselves, because V8 prepares
 * only the last 250 characters of what it searches. The Knuth–Morris–Pratt search reads each character once.
 */

/**
 * Replaces all secrets, the longest first. Of the text, only the characters that can be shown are searched.
 * @param secrets empty ones are ignored
 * @param shownMax maximum characters of the result; it contains no beginning of a secret that is cut off
 */
export function replaceSecrets(text: string, secrets: Iterable<string>, mark: string, shownMax: number): string {
  const longestFirst = [...secrets].filter((secret) => secret !== '').toSorted((a, b) => b.length - a.length);
  let clean = text;
  let isCut = false;
  for (const secret of longestFirst) {
    isCut ||= clean.length > shownMax + secret.length;
    clean = replaceSecret(clean.slice(0, shownMax + secret.length), secret, mark, isCut);
  }
  return clean.slice(0, shownMax);
}

/** @param isCut whether the text's end is missing: then a beginning of the secret at its end is removed */
function replaceSecret(text: string, secret: string, mark: string, isCut: boolean): string {
  if (text.length < secret.length && !isCut) return text;
  const borders = listBorders(secret);
  let clean = '';
  let from = 0;
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    matched = extendMatch(secret, borders, matched, text.charCodeAt(at));
    if (matched < secret.length) continue;
    clean += text.slice(from, at + 1 - matched) + mark;
    from = at + 1;
    matched = 0;
  }
  return clean + text.slice(from, isCut ? text.length - matched : text.length);
}

/** Returns for each beginning of a text the length of its longest shorter beginning with which it also ends. */
function listBorders(text: string): Uint32Array {
  const borders = new Uint32Array(text.length);
  for (let at = 1; at < text.length; at += 1)
    borders[at] = extendMatch(text, borders, borders[at - 1] ?? 0, text.charCodeAt(at));
  return borders;
}

/** Returns how many first characters of the needle match up to and including the next character, of which `matched` did. */
function extendMatch(needle: string, borders: Uint32Array, matched: number, next: number): number {
  let length = matched;
  while (length > 0 && needle.charCodeAt(length) !== next) length = borders[length - 1] ?? 0;
  return needle.charCodeAt(length) === next ? length + 1 : length;
}
