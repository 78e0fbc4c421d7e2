import { createHmac } from 'node:crypto';

/**
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @param key undefined to send it unsigned
 * @param id stays the same on retries
 * @param timestamp UTC seconds
 */
export function signWebhookHeaders(
  key: Buffer | undefined,
  id: string,
  timestamp: number,
  body: string,
): Record<string, string> {
  const named = { 'webhook-id': id, 'webhook-timestamp': String(timestamp) };
  if (key === undefined) return named;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { ...named, 'webhook-signature': `v1,${signature}` };
}
