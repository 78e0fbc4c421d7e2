import { isObject, listOf, numberOf, objectOf, parseJson, textOf } from '../json/json.ts';
import type { Provider, Target } from '../model/provider.ts';
import type { ResponseHeaders } from '../model/upstream-exchange.ts';
import { classifyAccountMessage, parseAccountReset } from './account-error-messages.ts';
import { type ContextOverflow, findContextOverflow } from './context-overflow.ts';
import { createTargetRedactor } from './redact-keys.ts';
import { readVendorError } from './redact-vendor-error.ts';
import { type RefusalBilling, UpstreamError, type UpstreamErrorKind } from './upstream-error.ts';
import { classifyBroadWord, classifyPreciseWord, normalizeWord } from './vendor-error-codes.ts';

interface ErrorFacts {
  message: string | undefined;
  code: string | undefined;
  type: string | undefined;
  /** Vendor's names of the error, the most precise first: code, reasons, type, status word. */
  words: readonly string[];
  /** HTTP status in the body; undefined without one. */
  status: number | undefined;
  /** Refused field of the request. */
  param: string | undefined;
  /** True if OpenRouter's moderation refused the prompt. */
  isModerated: boolean;
}

/** Maximum characters of the excerpt from a body in no known error format. */
const PAGE_MAX = 300;
/** Characters of an HTML page in which its title is looked for. */
const PAGE_READ_MAX = 2_000;
const NO_REASON_ADVICE = 'Check the fields of the request. If they are right, send the request ID to the operator.';

const RETRY_AFTER_MAX_MS = 24 * 60 * 60 * 1000;

/** Statuses whose messages may start with the client's text. */
const withoutAccountMessages: ReadonlySet<number> = new Set([404, 413, 422]);

/** Pattern of a single request above OpenAI's limit per minute, for which waiting is useless. */
const aboveLimitMessage = /^Request too large|tokens must be reduced/i;

/** Reads a response with a status other than 2xx. */
export function readError(target: Target, status: number, headers: ResponseHeaders, body: Buffer): UpstreamError {
  const text = body.toString('utf8');
  const json = parseJson(text);
  const facts = readErrorFacts(json);
  const kind = target.provider.readError?.(status, json, headers) ?? classifyError(status, json, facts);
  // A page comes from a proxy in front of the vendor.
  const hasReason = facts.message !== undefined || !/^\s*(?:<|$)/.test(text);
  const page = hasReason ? text : `The upstream returned status ${status}${readTitle(text)}.`;
  const message = facts.message ?? (hasReason || kind !== 'rejected' ? page : `${page} ${NO_REASON_ADVICE}`);
  const shown = createTargetRedactor(target)(message);
  return createError(target, json, facts, {
    kind,
    hasReason,
    message: facts.message === undefined ? shown.slice(0, PAGE_MAX) : shown,
    status,
    code: facts.code,
    retryAfterMs: retryAfterMs(headers) ?? retryAfterMsInBody(json, facts),
    requestId: readRequestId(headers),
  });
}

/** Returns the title of an HTML page in brackets, without its status; empty without a title. */
function readTitle(text: string): string {
  const title = /<title>\s*(?:\d{3}\s+)?([^<]{1,100}?)\s*</i.exec(text.slice(0, PAGE_READ_MAX))?.[1];
  return title === undefined ? '' : ` (${title})`;
}

/** Reads an error inside a response of status 200. @param json known to be an error, in any form */
export function readEmbeddedError(json: unknown, target: Target): UpstreamError {
  const facts = readErrorFacts(json);
  return createError(target, json, facts, {
    kind: target.provider.readError?.(200, json, {}) ?? classifyEmbedded(facts),
    hasReason: true,
    message: createTargetRedactor(target)(facts.message ?? 'The upstream reported an error.'),
    status: 200,
    code: facts.code ?? facts.type,
    retryAfterMs: retryAfterMsInBody(json, facts),
    requestId: undefined,
  });
}

interface ReadResult
  extends Pick<UpstreamError, 'kind' | 'message' | 'status' | 'code' | 'retryAfterMs' | 'requestId'> {
  /** False for an empty response or an HTML page, which clients are not shown. */
  hasReason: boolean;
}

/** Creates the error. An overflow is the request's fault, whatever its status and words. */
function createError(target: Target, json: unknown, facts: ErrorFacts, read: ReadResult): UpstreamError {
  const { message, status, hasReason, ...rest } = read;
  const overflow = readOverflow(read, json, facts);
  const xaiBilling = findXaiBilling(json, message);
  const kind = overflow === undefined && xaiBilling === undefined ? read.kind : 'rejected';
  const isRejected = kind === 'rejected';
  // Clients would retry a 429, which would be refused again.
  const refusedWith = isRejected && status === 429 ? 413 : status;
  const said = { status: statusFor(refusedWith, facts), message, code: facts.code, param: facts.param };
  return new UpstreamError(kind, message, {
    ...rest,
    status: refusedWith,
    type: facts.type,
    isOverload: isOverload(kind, status, facts),
    billing: xaiBilling ?? (isRejected ? target.provider.getRefusalBilling?.(status, facts.code) : undefined),
    overflow,
    vendor: isRejected && hasReason ? readVendorError(json, said, createTargetRedactor(target)) : undefined,
  });
}

/**
 * Returns what xAI bills although it refuses the content. It refuses a prompt with status 403, which must not look like a
 * fault of the account; other gateways repeat its message.
 * https://docs.x.ai/developers/models, "Usage Guidelines Violation Fee"; https://docs.x.ai/developers/cost-tracking
 */
function findXaiBilling(json: unknown, message: string): RefusalBilling | undefined {
  if (message.startsWith('Content violates usage guidelines')) return 'fee';
  return withheldMessage.test(message) || reportsCost(json) ? 'result' : undefined;
}

const withheldMessage = /^Generated (?:image|video) rejected by content moderation/;

/** Returns whether xAI reports a cost, which it does in every response. */
export function reportsCost(json: unknown): boolean {
  return (numberOf(objectOf(objectOf(json)['usage'])['cost_in_usd_ticks']) ?? 0) > 0;
}

/**
 * Azure bills a prompt that its content filter blocks.
 * https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter
 */
export const getAzureRefusalBilling: NonNullable<Provider['getRefusalBilling']> = (status, code) =>
  status === 400 && code === 'content_filter' ? 'prompt' : undefined;

const mayOverflow: ReadonlySet<UpstreamErrorKind> = new Set(['rejected', 'overloaded', 'garbled']);

function readOverflow({ kind, status }: ReadResult, json: unknown, facts: ErrorFacts): ContextOverflow | undefined {
  if (!mayOverflow.has(kind) || status === 404 || status === 429) return undefined;
  return findContextOverflow(facts.message, facts.words, json);
}

/** Returns the status for a client: an error inside a 200 has its own, as a number or a word. */
function statusFor(status: number, facts: ErrorFacts): number {
  if (status !== 200) return status;
  if (facts.status !== undefined) return facts.status;
  const word = facts.words.map((one) => statusByWord.get(one.toLowerCase())).find(Boolean);
  return word ?? 400;
}

const statusByWord: ReadonlyMap<string, number> = new Map([
  ['not_found_error', 404],
  ['not_found', 404],
  ['model_not_found', 404],
  ['request_too_large', 413],
]);

/** Headers with the vendor's request id: OpenAI's and most others', Anthropic's, AWS's, Azure's. */
const requestIdHeaders = ['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id'];
const REQUEST_ID_MAX = 128;

function readRequestId(headers: ResponseHeaders): string | undefined {
  const id = requestIdHeaders.map((name) => firstHeader(headers[name])).find((value) => value !== undefined);
  return id?.slice(0, REQUEST_ID_MAX);
}

/** Returns the error's facts from any of the vendors' positions. */
function readErrorFacts(json: unknown): ErrorFacts {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  const [firstError] = listOf(body['errors']);
  const error = isObject(body['error']) ? body['error'] : objectOf(firstError);
  const report = objectOf(body['base_resp']);
  const code = error['code'] ?? body['code'] ?? body['error_code'] ?? report['status_code'];
  const metadata = objectOf(error['metadata']);
  const reasons = listOf(error['details']).map((detail) => objectOf(detail)['reason']);
  const type = textOf(error['type']) ?? textOf(body['error_type']);
  const said = [code, ...reasons, objectOf(error['innererror'])['code'], type, error['status'], body['type']];
  return {
    message: textOf(json) ?? findMessage(json),
    code: typeof code === 'number' ? String(code) : textOf(code),
    type,
    words: said.flatMap((word) => textOf(word) ?? []),
    status: [code, error['status_code'], error['status'], body['status_code'], body['status']]
      .map((value) => numberOf(value) ?? Number(textOf(value) ?? Number.NaN))
      .find((value) => Number.isInteger(value) && value >= 400 && value < 600),
    param: textOf(error['param']) ?? textOf(body['param']),
    isModerated: Array.isArray(metadata['reasons']) || metadata['flagged_input'] !== undefined,
  };
}

/**
 * Fields with a vendor's error text, the most informative first; each may hold a text, an object or a list of them.
 */
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

function findMessage(value: unknown, depth = 0): string | undefined {
  if (depth === WORDS_DEPTH_MAX || typeof value !== 'object' || value === null) return undefined;
  const inner = Array.isArray(value) ? value : wordFields.map((field) => objectOf(value)[field]);
  for (const item of inner) {
    const words = textOf(item) ?? findMessage(item, depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** Returns the failure class of an error inside a 200, whose true status is at best in its body. */
function classifyEmbedded(facts: ErrorFacts): UpstreamErrorKind {
  return classifyError(facts.status ?? 200, {}, facts);
}

/**
 * Classifies an error. Precise words take precedence over account messages, then the status, then broad words,
 * because OpenAI uses `invalid_request_error` for wrong keys, too.
 * @param status 200 if the error has no status
 */
function classifyError(status: number, json: unknown, facts: ErrorFacts): UpstreamErrorKind {
  if (isClientFault(status, facts)) return 'rejected';
  const said = classifyPreciseWord(facts.words) ?? classifyAccountError(status, facts);
  if (said !== undefined) return said;
  const broad = classifyBroadWord(facts.words);
  if (status === 200) return broad ?? 'overloaded';
  // Vendors use `api_error` for any failure, including bad requests.
  if (status === 400 && broad !== 'overloaded') return broad ?? 'rejected';
  if (status === 401 || status === 403) return 'unauthorised';
  if (status === 402) return 'out-of-credit';
  if (status === 408 || status === 429) return 'rate-limited';
  if (status >= 500) return 'overloaded';
  if (status < 400) return 'garbled';
  // A 404 page instead of the vendor's error means that the channel's address is wrong, not the client's request.
  return status === 404 && !isObject(json) ? 'garbled' : 'rejected';
}

/** Classifies an account error. A message about a field of the request may start with the field's value. */
function classifyAccountError(status: number, { message, param }: ErrorFacts): UpstreamErrorKind | undefined {
  if (message === undefined || param !== undefined || withoutAccountMessages.has(status)) return undefined;
  return classifyAccountMessage(message);
}

/** Returns whether the client caused the error although status and code would blame the channel. */
function isClientFault(status: number, { message = '', words, isModerated }: ErrorFacts): boolean {
  if (status === 403) return isModerated;
  if (status === 200 && classifyPreciseWord(words) !== 'rate-limited') return false;
  return status === 413 || ((status === 429 || status === 200) && aboveLimitMessage.test(message));
}

/** Returns the wait: `retry-after-ms` (OpenAI, Azure) is exact; `Retry-After` is seconds or a date. */
function retryAfterMs(headers: ResponseHeaders): number | undefined {
  const exact = Number(firstHeader(headers['retry-after-ms']) ?? Number.NaN);
  if (exact >= 0) return Math.min(exact, RETRY_AFTER_MAX_MS);
  const value = firstHeader(headers['retry-after'])?.trim();
  if (value === undefined || value === '') return undefined;
  const milliseconds = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.min(Math.max(0, milliseconds), RETRY_AFTER_MAX_MS);
}

/** Returns the wait in the body, in milliseconds; undefined without one. */
function retryAfterMsInBody(json: unknown, { message, param }: ErrorFacts): number | undefined {
  const delay = retryDelayMs(json);
  return delay ?? (message === undefined || param !== undefined ? undefined : parseAccountReset(message));
}

/** Returns Google's wait: `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.4s"}`. */
function retryDelayMs(json: unknown): number | undefined {
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  const delays = listOf(objectOf(body['error'])['details']).map((detail) => objectOf(detail)['retryDelay']);
  const [delay] = delays.flatMap((delay) => /^(\d+(?:\.\d+)?)s$/.exec(textOf(delay) ?? '')?.[1] ?? []);
  return delay === undefined ? undefined : Math.min(Number(delay) * 1000, RETRY_AFTER_MAX_MS);
}

function firstHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : value?.[0];
}

/** Words that mean an overload with every status. */
const words = toSpellingSet([
  // https://docs.anthropic.com/en/api/errors
  'overloaded_error',
  // https://platform.openai.com/docs/guides/error-codes
  'server_is_overloaded',
  // https://platform.moonshot.ai/docs/api/errors
  'engine_overloaded_error',
  'model_overloaded',
]);
/** Words that mean an overload only with a failure; for a refused request they mean a limit. */
const wordsOfFailures = toSpellingSet([
  // https://platform.openai.com/docs/guides/error-codes
  'slow_down',
  'service_unavailable',
  'service_unavailable_error',
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
  'serviceUnavailableException',
  // https://cloud.google.com/apis/design/errors#handling_errors
  'UNAVAILABLE',
]);
const statuses: ReadonlySet<number> = new Set([429, 503, 529]);
const message = /\boverloaded\b|\b(?:at|over|exceeded|no|insufficient) capacity\b|\bhigh demand\b|负载|繁忙|过载/i;

interface OverloadFacts {
  message: string | undefined;
  words: readonly string[];
  status: number | undefined;
}

/**
 * Returns whether a vendor reports a lack of capacity.
 * @param status 200 if the error has no status
 */
function isOverload(kind: UpstreamErrorKind, status: number, said: OverloadFacts): boolean {
  if (kind !== 'overloaded' && kind !== 'rate-limited') return false;
  const spellings = said.words.map(normalizeWord);
  if (spellings.some((word) => words.has(word))) return true;
  if (kind !== 'overloaded') return false;
  return (
    statuses.has(status === 200 ? (said.status ?? 0) : status) ||
    spellings.some((word) => wordsOfFailures.has(word)) ||
    message.test(said.message ?? '')
  );
}

function toSpellingSet(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(normalizeWord));
}

/** Returns an error reader for vendors whose codes are more precise than the HTTP status. */
export function createErrorCodeReader(
  kinds: Readonly<Record<string, UpstreamErrorKind>>,
): NonNullable<Provider['readError']> {
  return (_status, body) => {
    const { code } = readErrorFacts(body);
    return code !== undefined && Object.hasOwn(kinds, code) ? kinds[code] : undefined;
  };
}
