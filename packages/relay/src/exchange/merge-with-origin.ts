import type { JsonObject } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';
import { getDialect } from './dialects.ts';

/** Merges a submission with the parts of its origin task that still apply. */
export function mergeWithOrigin({
  format,
  json,
  submission,
}: Pick<ClientRequest, 'format' | 'json' | 'submission'>): JsonObject {
  const { origin } = submission ?? {};
  if (origin === undefined) return json;
  return getDialect(format).mergeFollowUp?.(origin.request, json) ?? { ...origin.request, ...json };
}
