import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import type { VideoSubmission } from '../model/task-types.ts';
import { getDialect, getUpstreamDialect } from './dialects.ts';

/**
 * Returns true if a video starts from an image: some vendors take such tasks at another path than those of text alone.
 */
export function startsFromImage(request: ClientRequest): boolean {
  return getDialect(request.format).decodeVideoRequest?.(request, [])?.image !== undefined;
}

/**
 * The order for a film in another dialect than the client's; undefined where it is none.
 * @throws InvalidRequest when the vendor makes nothing like it
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
