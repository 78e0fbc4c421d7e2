import { resolveMediaType } from '../media/media-type.ts';
import { InvalidRequest } from '../model/invalid-request.ts';

/** Files inside requests: OpenAI writes them as data URLs, others as media type and base64 apart. */
export type FileSource = { url: string } | { mediaType: string; base64: string };

/**
 * @param param the field of the request in which the address stands
 * @throws InvalidRequest when a data URL has no data or is not spelt right.
 */
export function parseFileUrl(url: string, param = 'messages'): FileSource {
  if (!/^data:/i.test(url)) return { url };
  const comma = url.indexOf(',');
  if (comma === -1) throw new InvalidRequest('A data URL has no data.', param);
  const [mediaType, ...parameters] = url.slice('data:'.length, comma).split(';');
  const payload = url.slice(comma + 1);
  const isBase64 = parameters.includes('base64');
  const base64 = isBase64 ? payload : Buffer.from(percentDecoded(payload, param)).toString('base64');
  return toInlineFile(mediaType ?? '', base64);
}

/** A file as it stands in a request. @param said its type, as the client has it */
export function toInlineFile(said: string, base64: string): Extract<FileSource, { base64: string }> {
  return { mediaType: resolveMediaType(said, base64), base64 };
}

export function toFileUrl(source: FileSource): string {
  return 'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`;
}

function percentDecoded(text: string, param: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidRequest('A data URL is malformed.', param);
  }
}
