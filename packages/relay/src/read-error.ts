import type { ResponseHeaders } from './exchange.ts';
import { isObject, listOf, objectOf, parseJson, textOf } from './json.ts';
import type { Target } from './provider.ts';
import { redact, secretsOf } from './redact.ts';
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts';

interface ErrorFacts {
  message: string | undefined;
  code: string | undefined;
  type: string | undefined;
  /** The field of the request that is at fault. */
  param: string | undefined;
  /** OpenRouter's moderation refused the prompt. */
  isModerated: boolean;
}

/** Of a body that is no error in any known shape, most often a page, characters. */
const PAGE_MAX = 200;

const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000;

/** Codes and types that say more than their status does. */
const kindByCode: Readonly<Record<string, UpstreamErrorKind>> = {
  insufficient_quota: 'out-of-credit',
  insufficient_user_quota: 'out-of-credit',
  exceeded_current_quota_error: 'out-of-credit',
  billing_hard_limit_reached: 'out-of-credit',
  billing_not_active: 'out-of-credit',
  billing_error: 'out-of-credit',
  invalid_api_key: 'unauthorised',
  account_deactivated: 'unauthorised',
  authentication_error: 'unauthorised',
  rate_limit_exceeded: 'rate-limited',
  rate_limit_error: 'rate-limited',
  RateLimitReached: 'rate-limited',
  overloaded_error: 'overloaded',
  content_filter: 'rejected',
  content_policy_violation: 'rejected',
  // AWS, inside a stream.
  throttlingException: 'rate-limited',
  accessDeniedException: 'unauthorised',
  validationException: 'rejected',
  // Azure: this channel has no such deployment; another may.
  DeploymentNotFound: 'garbled',
};

/**
 * What vendors say under 400 of money and keys, with no code of its own. Only how a message begins, because vendors
 * repeat in the middle of one what the client wrote, and a client must not be able to speak for the account.
 */
const accountMessages: readonly (readonly [RegExp, UpstreamErrorKind])[] = [
  [/^Your credit balance is too low to access the Anthropic API/, 'out-of-credit'],
  // xAI
  [/^Incorrect API key provided/, 'unauthorised'],
  // Gemini
  [/^API key (not valid|expired)/, 'unauthorised'],
  [/^User location is not supported/, 'unauthorised'],
];

/** One request alone is above OpenAI's limit for a minute; waiting would not help it. */
const aboveLimitMessage = /^Request too large|tokens must be reduced/i;

/** Reads an answer other than 2xx. */
export function readError(
  target: Target,
  status: number,
  headers: ResponseHeaders,
  body: Buffer,
): UpstreamError {
  const text = body.toString('utf8');
  const json = parseJson(text);
  const facts = errorFacts(json);
  const kind = target.provider.readError?.(status, json, headers) ?? kindOf(status, json, facts);
  const message = facts.message ?? (text.trim() === '' ? `The upstream answered ${status}.` : text);
  return new UpstreamError(
    kind,
    redact(message, secretsOf(target)).slice(0, facts.message === undefined ? PAGE_MAX : undefined),
    {
      // Clients would send a request under 429 again, which can only be refused again.
      status: kind === 'rejected' && status === 429 ? 413 : status,
      code: facts.code,
      type: facts.type,
      retryAfterMs: retryAfterMs(headers) ?? retryDelayMs(json),
    },
  );
}

/** The vendor's words, wherever it puts them. */
export function errorFacts(json: unknown): ErrorFacts {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  const [firstError] = listOf(body['errors']);
  const error = isObject(body['error']) ? body['error'] : objectOf(firstError);
  const report = objectOf(body['base_resp']);
  const code = error['code'] ?? body['code'] ?? body['error_code'] ?? report['status_code'];
  const metadata = objectOf(error['metadata']);
  return {
    message: textOf(json) ?? wordsIn(json),
    code: typeof code === 'number' ? String(code) : textOf(code),
    type: textOf(error['type']) ?? textOf(body['error_type']),
    param: textOf(error['param']),
    isModerated: Array.isArray(metadata['reasons']) || metadata['flagged_input'] !== undefined,
  };
}

/** Where vendors put their words, the most telling first; each may hold a text, an object or a list of them. */
const wordFields = [
  'message',
  'Message',
  'error',
  'errors',
  'msg',
  'error_msg',
  'err_msg',
  'detail',
  'base_resp',
  'status_msg',
];
const WORDS_DEPTH_MAX = 5;

function wordsIn(value: unknown, depth = 0): string | undefined {
  if (depth === WORDS_DEPTH_MAX || typeof value !== 'object' || value === null) return undefined;
  const inner = Array.isArray(value) ? value : wordFields.map((field) => objectOf(value)[field]);
  for (const item of inner) {
    const words = textOf(item) ?? wordsIn(item, depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** The kind of an error inside a 200, where the true status is at best its code. */
export function kindInside(facts: ErrorFacts): UpstreamErrorKind {
  const status = Number(facts.code);
  if (status >= 400 && status < 600) return kindOf(status, {}, facts);
  return kindByWords(facts) ?? 'overloaded';
}

function kindOf(status: number, json: unknown, facts: ErrorFacts): UpstreamErrorKind {
  if (isClientsFault(status, facts)) return 'rejected';
  const said = status === 400 ? kindByWords(facts) : kindByCodes(facts);
  if (said !== undefined) return said;
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 402) return 'out-of-credit';
  if (status === 408 || status === 429) return 'rate-limited';
  if (status >= 500) return 'overloaded';
  if (status < 400) return 'garbled';
  // A 404 page instead of the vendor's error: the channel's address is wrong, not the client's request.
  return status === 404 && !isObject(json) ? 'garbled' : 'rejected';
}

function kindByCodes({ code, type }: ErrorFacts): UpstreamErrorKind | undefined {
  const known = [code, type].find((word) => word !== undefined && Object.hasOwn(kindByCode, word));
  return known === undefined ? undefined : kindByCode[known];
}

function kindByWords(facts: ErrorFacts): UpstreamErrorKind | undefined {
  const account = accountMessages.find(([beginning]) => beginning.test(facts.message ?? ''));
  return kindByCodes(facts) ?? (facts.param === undefined ? account?.[1] : undefined);
}

/** Where status and code alone would blame the channel. */
function isClientsFault(status: number, { message = '', isModerated }: ErrorFacts): boolean {
  if (status === 403) return isModerated;
  return status === 413 || (status === 429 && aboveLimitMessage.test(message));
}

/** `retry-after-ms` (OpenAI, Azure) is exact; `Retry-After` is seconds or a date. */
function retryAfterMs(headers: ResponseHeaders): number | undefined {
  const exact = Number(firstOf(headers['retry-after-ms']) ?? Number.NaN);
  if (exact >= 0) return Math.min(exact, RETRY_AFTER_MAX_MS);
  const value = firstOf(headers['retry-after'])?.trim();
  if (value === undefined || value === '') return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(0, milliseconds), RETRY_AFTER_MAX_MS);
}

/** Google tells it in the body: `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}`. */
function retryDelayMs(json: unknown): number | undefined {
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  const delays = listOf(objectOf(body['error'])['details']).map((detail) => objectOf(detail)['retryDelay']);
  const [delay] = delays.flatMap((delay) => /^(\d+(?:\.\d+)?)s$/.exec(textOf(delay) ?? '')?.[1] ?? []);
  return delay === undefined ? undefined : Math.min(Number(delay) * 1000, RETRY_AFTER_MAX_MS);
}

function firstOf(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}
