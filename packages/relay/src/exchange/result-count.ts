/** Checks that a response has what was asked for: vectors, scores, images, a transcript. */
import { garbled } from '../errors/answer-errors.ts';
import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import type { UpstreamDialect } from '../model/format.ts';
import type { ResultRange } from '../model/surfaces.ts';
import { dialectOf } from './dialects.ts';

/**
 * Clients match results with what they sent by place: an answer with other results than that is none, and costs nothing.
 * @throws UpstreamError `garbled`
 */
export function checkResultCount(
  upstream: UpstreamDialect,
  answer: JsonObject,
  request: ClientRequest,
): void {
  const range = dialectOf(request.format).expectedResults?.(request.json);
  const count = range && upstream.resultCount?.(answer);
  if (range === undefined || count === undefined || (count >= range.least && count <= range.most)) return;
  throw garbled(`The upstream sent ${count} results instead of ${wantedOf(range)}.`);
}

function wantedOf({ least, most }: ResultRange): string {
  if (most === Number.POSITIVE_INFINITY) return `at least ${least}`;
  return least === most ? String(most) : `${least} to ${most}`;
}
