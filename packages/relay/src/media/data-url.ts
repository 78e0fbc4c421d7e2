import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { resolveMediaType } from './media-type.ts';

/** File in a request: a data URL in OpenAI's dialects, separate media type and base64 in others. */
export type FileSource = { url: string } | { mediaType: string; base64: string };

/** Maximum characters before the data of a data URL. */
const TYPE_MAX = 1_024;

/** @throws InvalidRequestError when a data URL has no data or is malformed */
export function parseFileUrl(url: string): FileSource {
  if (!/^data:/i.test(url)) return { url };
  // A media type of megabytes could consist of millions of parameters.
  const comma = url.slice(0, TYPE_MAX).indexOf(',');
  if (comma === -1) throw new InvalidRequestError(`A data URL has no comma in its first ${TYPE_MAX} characters.`);
  const [mediaType, ...parameters] = url.slice('data:'.length, comma).split(';');
  const payload = url.slice(comma + 1);
  const isBase64 = parameters.includes('base64');
  const base64 = isBase64 ? payload : Buffer.from(percentDecoded(payload)).toString('base64');
  return toInlineFile(mediaType ?? '', base64);
}

/** Returns an inline file of a request. @param said media type named by the client */
export function toInlineFile(said: string, base64: string): Extract<FileSource, { base64: string }> {
  return { mediaType: resolveMediaType(said, base64), base64 };
}

export function toFileUrl(source: FileSource): string {
  return 'url' in source ? source.url : `data:${source.mediaType};base64,${source.base64}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidRequestError('A data URL contains an invalid percent-encoding.');
  }
}
