import { signWebhookHeaders } from '../../../platform/outbound/webhook-headers.ts';
import { checkStatus, DeliveryError, describeResponse, type Sender } from './sender.ts';

const PREFIX = 'whsec_';
const KEY_BYTES_MIN = 24;
const KEY_BYTES_MAX = 64;

/**
 * Decodes a secret in the format of Standard Webhooks:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 * @returns undefined for another format
 */
export function parseWebhookKey(secret: string): Buffer | undefined {
  const encoded = secret.slice(PREFIX.length);
  if (!secret.startsWith(PREFIX) || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= KEY_BYTES_MIN && key.length <= KEY_BYTES_MAX ? key : undefined;
}

/** Sends a webhook signed by https://www.standardwebhooks.com, with an id that stays the same on retries. */
export const sendToWebhook: Sender = async (message, { address = '', secret = '' }, post, now) => {
  const key = parseWebhookKey(secret);
  if (key === undefined) throw new DeliveryError('The secret must have the form whsec_…', 'refused');
  const { id, event, at, title, text, link } = message;
  const body = JSON.stringify({
    type: event,
    timestamp: new Date(at * 1000).toISOString(),
    data: { title, text, link },
  });
  const answer = await post(address, body, signWebhookHeaders(key, id, Math.floor(now / 1000), body));
  checkStatus(answer);
  return describeResponse(answer);
};
