import { boundedError } from '../errors/read-vendor-error.ts';
import { isObject, type JsonObject, objectOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import { mapTexts, type Redactor, redactorOf } from '../translate/redact.ts';

/**
 * Removes the channel's credentials from an upstream's event; a vendor's error text may contain them.
 * @param event no deeper than `readEvent` lets it be
 * @returns the event's text when it differs from the one that came
 */
export function withoutSecrets(event: unknown, target: Target): string | undefined {
  if (!isObject(event)) return undefined;
  const redact = redactorOf(target);
  if (isObject(event['error'])) return JSON.stringify(withCleanError(event, redact));
  const response = objectOf(event['response']);
  const details = objectOf(response['status_details']);
  if (!isObject(details['error'])) return undefined;
  return JSON.stringify({
    ...event,
    response: { ...response, status_details: withCleanError(details, redact) },
  });
}

function withCleanError(holder: JsonObject, redact: Redactor): JsonObject {
  return { ...holder, error: mapTexts(boundedError(objectOf(holder['error'])), redact) };
}
