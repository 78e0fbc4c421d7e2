/** One attempt to deliver a notification, other than by mail. */
import type { NotificationTargetType } from '@switchyard/contract/operations/notification-target-types';
import { replaceSecrets } from '@switchyard/relay';
import { parseJson } from '@switchyard/relay/json';
import { parseUrl } from '@switchyard/relay/parse-url';
import type { OutboundFetch } from '../../platform/outbound/outbound-fetch.ts';
import { AddressNotAllowedError } from '../../platform/outbound/outbound-guard.ts';
import { sendToBark } from './senders/bark.ts';
import { sendToDingTalk } from './senders/dingtalk.ts';
import { sendToDiscord } from './senders/discord.ts';
import { sendToLark } from './senders/lark.ts';
import { sendToNtfy } from './senders/ntfy.ts';
import {
  DeliveryError,
  type NotificationMessage,
  type Post,
  type Sender,
  type TargetConfig,
} from './senders/sender.ts';
import { sendToSlack } from './senders/slack.ts';
import { sendToTelegram } from './senders/telegram-chat.ts';
import { sendToWebhook } from './senders/webhook.ts';
import { sendToWeCom } from './senders/wecom.ts';

export { DeliveryError, type NotificationMessage, type TargetConfig } from './senders/sender.ts';
export { parseWebhookKey } from './senders/webhook.ts';

const senders: Readonly<Record<Exclude<NotificationTargetType, 'mail'>, Sender>> = {
  telegram: sendToTelegram,
  lark: sendToLark,
  dingtalk: sendToDingTalk,
  wecom: sendToWeCom,
  slack: sendToSlack,
  discord: sendToDiscord,
  bark: sendToBark,
  ntfy: sendToNtfy,
  webhook: sendToWebhook,
};

const DEADLINE_MS = 10_000;
const SECRET_LENGTH_MIN = 6;
/** Minimum length of a part of an address that may be a token. */
const PART_LENGTH_MIN = 16;
const RESPONSE_MAX = 200;

interface DeliveryEnvironment {
  fetch: OutboundFetch;
  /** True if a user chose the address: then the response must not reveal whether an internal name exists. */
  isOwn: boolean;
  /** UTC milliseconds. */
  now: number;
  stop: AbortSignal;
}

/**
 * @returns the receiver's response, without secrets
 * @throws DeliveryError when it was not accepted
 */
export async function sendNotification(
  type: Exclude<NotificationTargetType, 'mail'>,
  config: TargetConfig,
  message: NotificationMessage,
  world: DeliveryEnvironment,
): Promise<string> {
  try {
    return sanitizeResponse(await senders[type](message, config, createPost(world), world.now), config);
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    throw new DeliveryError(sanitizeResponse(error.message, config), error.kind, error.retryAfterSeconds);
  }
}

function createPost(world: DeliveryEnvironment): Post {
  return async (url, body, headers = {}) => {
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      const response = await world.fetch(url, {
        method: 'POST',
        // A redirect would lead to an unchosen address, and counts as a refusal.
        redirect: 'manual',
        headers: { 'content-type': 'application/json', 'user-agent': 'switchyard', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
        signal: AbortSignal.any([world.stop, deadline]),
      });
      const text = await response.text();
      return {
        status: response.status,
        text,
        get json() {
          return parseJson(text);
        },
        retryAfterSeconds: parseRetryAfter(response.headers.get('retry-after'), world.now),
      };
    } catch (error) {
      if (world.isOwn && (error instanceof AddressNotAllowedError || isUnknownName(error)))
        throw new DeliveryError('No public server has this host name', 'later');
      if (error instanceof AddressNotAllowedError) throw new DeliveryError(error.message, 'refused');
      throw new DeliveryError(describeNetworkError(error, deadline.aborted), 'later');
    }
  };
}

const getErrorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);

/** Returns whether a name does not exist, or could not be resolved. */
const isUnknownName = (error: unknown): boolean => /^(?:ENOTFOUND|EAI_)/.test(String(getErrorCode(error)));

/** Describes a network error by its code only, because the message could contain the address. */
function describeNetworkError(error: unknown, isLate: boolean): string {
  const code = getErrorCode(error);
  if (isLate || (error instanceof Error && error.name === 'TimeoutError')) return 'No response in time';
  if (code === 'ENOTFOUND') return 'The host name could not be resolved';
  return typeof code === 'string' ? `No connection (${code})` : 'Invalid response';
}

/** Parses seconds, or a date: https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function parseRetryAfter(header: string | null, now: number): number {
  if (header === null) return 0;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : 0;
}

/** Shortens a response and redacts secrets, since a receiver may repeat what it was sent, or a part of it. */
function sanitizeResponse(answer: string, config: TargetConfig): string {
  const values = Object.values(config).filter((value) => value.length >= SECRET_LENGTH_MIN);
  const parts = values.flatMap(splitSecretParts).filter((part) => part.length >= PART_LENGTH_MIN);
  return replaceSecrets(answer, [...values, ...parts], '…', RESPONSE_MAX);
}

function splitSecretParts(value: string): string[] {
  const url = parseUrl(value);
  return url === undefined ? [] : [...url.pathname.split('/'), ...url.searchParams.values()];
}
