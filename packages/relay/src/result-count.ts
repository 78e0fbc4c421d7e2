/** Checks that a response has as many vectors or scores as were asked for. */
import { garbled } from './answer-errors.ts';
import type { ClientRequest } from './client-request.ts';
import { dialectOf } from './dialects.ts';
import type { UpstreamDialect } from './format.ts';
import type { JsonObject } from './json.ts';

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
  const wanted = range.least === range.most ? range.most : `${range.least} to ${range.most}`;
  throw garbled(`The upstream sent ${count} results instead of ${wanted}.`);
}
