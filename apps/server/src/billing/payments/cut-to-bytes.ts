/** The beginning of a text that fits into so many bytes of UTF-8, whole characters only. */
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
