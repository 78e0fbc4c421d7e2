import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamFormatId } from '../model/format-id.ts';
import type { FilmOrder } from '../model/task-types.ts';
import { dialectOf, upstreamDialectOf } from './dialects.ts';

/**
 * Returns true if a video starts from an image: some vendors take such tasks at another path than those of text alone.
 */
export function beginsWithPicture(request: ClientRequest): boolean {
  return dialectOf(request.format).asksVideo?.(request, [])?.image !== undefined;
}

/**
 * The order for a film in another dialect than the client's; undefined where it is none.
 * @throws InvalidRequest when the vendor makes nothing like it
 */
export function filmOrderOf(
  request: ClientRequest,
  format: UpstreamFormatId,
  model: string,
  dropped: string[],
): FilmOrder | undefined {
  const upstream = upstreamDialectOf(format);
  if (format === request.format || upstream.makesVideo === undefined) return undefined;
  const asked = dialectOf(request.format).asksVideo?.(request, dropped);
  return asked && upstream.makesVideo(asked, model, dropped);
}
