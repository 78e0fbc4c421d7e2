import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { dialectOf } from './dialects.ts';

/** What is ordered, with what holds on of the order that it goes on from. */
export function mergeWithOrigin({
  format,
  json,
  order,
}: Pick<ClientRequest, 'format' | 'json' | 'order'>): JsonObject {
  const { origin } = order ?? {};
  if (origin === undefined) return json;
  return dialectOf(format).goesOn?.(origin.request, json) ?? { ...origin.request, ...json };
}
