/** Files inside requests: OpenAI writes them as data URLs, others as media type and base64 apart. */
export type FileSource = { url: string } | { mediaType: string; base64: string };

export function readUrl(url: string): FileSource {
  if (!url.startsWith('data:')) return { url };
  const comma = url.indexOf(',');
  const [mediaType, ...parameters] = url.slice('data:'.length, comma).split(';');
  const payload = url.slice(comma + 1);
  return {
    mediaType: mediaType === undefined || mediaType === '' ? 'text/plain' : mediaType,
    base64: parameters.includes('base64')
      ? payload
      : Buffer.from(decodeURIComponent(payload)).toString('base64'),
  };
}

export function writeUrl(source: FileSource): string {
  return 'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`;
}
