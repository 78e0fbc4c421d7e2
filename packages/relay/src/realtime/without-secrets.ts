import { DEPTH_MAX, isDeeperThan, isObject, type JsonObject, objectOf } from '../json.ts';
import type { Target } from '../provider.ts';
import { redact, type Secrets, secretsOf } from '../redact.ts';

const unreadable = '{"type":"error","error":{"type":"server_error","message":"The upstream failed."}}';

/**
 * What a client may be told of an upstream's event: the vendor's words of an error may hold the channel's credentials.
 * @returns the event's text when it differs from the one that came
 */
export function withoutSecrets(event: unknown, target: Target): string | undefined {
  if (!isObject(event)) return undefined;
  const secrets = secretsOf(target);
  const isError = event['type'] === 'error';
  if ((isError || event['type'] === 'response.done') && isDeeperThan(DEPTH_MAX, event)) return unreadable;
  if (isError) return JSON.stringify(withCleanError(event, secrets));
  const response = objectOf(event['response']);
  const details = objectOf(response['status_details']);
  if (event['type'] !== 'response.done' || !isObject(details['error'])) return undefined;
  return JSON.stringify({
    ...event,
    response: { ...response, status_details: withCleanError(details, secrets) },
  });
}

function withCleanError(holder: JsonObject, secrets: Secrets): JsonObject {
  const error = objectOf(holder['error']);
  const { message } = error;
  return typeof message === 'string'
    ? { ...holder, error: { ...error, message: redact(message, secrets) } }
    : holder;
}
