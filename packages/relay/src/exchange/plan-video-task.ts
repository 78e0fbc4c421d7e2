import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { VideoSubmission } from '../model/task-types.ts';
import { getDialect, getUpstreamDialect } from './dialects.ts';

/** Returns whether a video starts from an image: some vendors have another path for such tasks. */
export function startsFromImage(request: ClientRequest): boolean {
  return getDialect(request.format).decodeVideoRequest?.(request, [])?.image !== undefined;
}

/**
 * Plans a video task in another dialect than the client's; returns undefined for other requests.
 * @throws InvalidRequestError when the vendor offers no such video
 */
export function planVideoSubmission(
  request: ClientRequest,
  format: UpstreamDialectId,
  model: string,
  dropped: string[],
): VideoSubmission | undefined {
  const upstream = getUpstreamDialect(format);
  if (format === request.format || upstream.encodeVideoSubmission === undefined) return undefined;
  const asked = getDialect(request.format).decodeVideoRequest?.(request, dropped);
  return asked && upstream.encodeVideoSubmission(asked, model, dropped);
}
