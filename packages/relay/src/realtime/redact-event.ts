import { limitErrorSize } from '../errors/read-vendor-error.ts';
import { isObject, type JsonObject, objectOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import { createTargetRedactor, mapStrings, type Redactor } from '../translate/redact.ts';

/**
 * Removes the channel's credentials from an upstream's event; a vendor's error text may contain them.
 * @param event value within the nesting limit of `readEvent`
 * @returns text of the event if it changed
 */
export function redactEvent(event: unknown, target: Target): string | undefined {
  if (!isObject(event)) return undefined;
  const redact = createTargetRedactor(target);
  if (isObject(event['error'])) return JSON.stringify(redactErrorMember(event, redact));
  const response = objectOf(event['response']);
  const details = objectOf(response['status_details']);
  if (!isObject(details['error'])) return undefined;
  return JSON.stringify({ ...event, response: { ...response, status_details: redactErrorMember(details, redact) } });
}

function redactErrorMember(holder: JsonObject, redact: Redactor): JsonObject {
  return { ...holder, error: mapStrings(limitErrorSize(objectOf(holder['error'])), redact) };
}
