/** Errors in each dialect: the status, type, code and message that its official clients act on. */

import { textOf } from '../json/json.ts';
import type { ErrorDetail } from '../model/dialect.ts';
import type { DialectId } from '../model/dialect-id.ts';
import type { ContextOverflow } from './context-overflow.ts';
import type { ErrorShape, VendorError } from './upstream-error.ts';

/** Error shapes by dialect; others have OpenAI's. */
const shapes: Partial<Record<DialectId, ErrorShape>> = {
  'anthropic-messages': 'anthropic',
  gemini: 'google',
  'gemini-embeddings': 'google',
  midjourney: 'own',
  'midjourney-uploads': 'own',
  suno: 'own',
  'kling-videos': 'own',
};

type Words = Partial<Record<ErrorShape, Pick<ErrorDetail, 'type' | 'code'> & { status: number }>>;

/**
 * Spent quota, which is neither a rate limit, for which clients would wait, nor an authentication error:
 * https://platform.openai.com/docs/guides/error-codes, https://docs.anthropic.com/en/api/errors,
 * https://ai.google.dev/gemini-api/docs/troubleshooting
 */
const spentQuota: Words = {
  openai: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  anthropic: { status: 402, type: 'billing_error' },
  google: { status: 429 },
};

const wordsByCode: ReadonlyMap<string, Words> = new Map([
  ['insufficient_user_quota', spentQuota],
  ['insufficient_token_quota', spentQuota],
  [
    'upstream_overloaded',
    {
      openai: { status: 503, type: 'service_unavailable_error', code: 'server_is_overloaded' },
      anthropic: { status: 529, type: 'overloaded_error' },
      google: { status: 503 },
    },
  ],
]);

/** Returns the error in the client's dialect; the vendor's own error if the client reads its shape. */
export function toDialectError(format: DialectId, detail: ErrorDetail): ErrorDetail {
  const shape = shapes[format] ?? 'openai';
  const { vendor, overflow } = detail;
  const own = vendor !== undefined && vendor.shape === shape ? vendorErrorBody(vendor, detail) : undefined;
  if (overflow !== undefined) return toOverflowError(format, shape, { ...detail, overflow, rawError: own });
  if (own !== undefined) return { ...detail, rawError: own };
  if (vendor !== undefined) return { ...detail, code: readErrorCode(vendor) ?? detail.code };
  const words = detail.code === undefined ? undefined : wordsByCode.get(detail.code);
  return { ...detail, ...words?.[shape] };
}

/** Returns the vendor's error without a `param` that names a field which the client did not send. */
function vendorErrorBody(vendor: VendorError, { param }: ErrorDetail): ErrorDetail['rawError'] {
  const isForeign = vendor.param !== undefined && vendor.param !== param;
  return isForeign ? { ...vendor.error, param: param ?? null } : vendor.error;
}

/** Pattern of a missing model. In these dialects a request refers to nothing else that may not exist. */
const missingModel = /\bmodels?\b/i;

/** Returns the error code, unless it is a number, which repeats the status. */
function readErrorCode({ code, status, message }: VendorError): string | undefined {
  if (code !== undefined && !/^\d+$/.test(code)) return code;
  return status === 404 && missingModel.test(message) ? 'model_not_found' : undefined;
}

type Overflowing = ErrorDetail & { overflow: ContextOverflow };

/** Messages by which agents recognize an overflow; a vendor's own message that matches is kept. */
const recognizedOverflow: Readonly<Partial<Record<ErrorShape, RegExp>>> = {
  anthropic: /prompt is too long|exceed context limit/i,
  google: /token count\b.{0,40}\bexceeds the maximum number of tokens/i,
};

const OVERFLOW_CODE = 'context_length_exceeded';
const overflowParams: Partial<Record<DialectId, string>> = { 'openai-chat': 'messages', 'openai-responses': 'input' };

function toOverflowError(format: DialectId, shape: ErrorShape, detail: Overflowing): ErrorDetail {
  const { rawError, overflow } = detail;
  const rejected = { ...detail, status: 400, code: OVERFLOW_CODE, type: undefined, param: overflowParams[format] };
  if (rawError !== undefined && shape === 'openai')
    return { ...rejected, rawError: { ...rawError, code: OVERFLOW_CODE } };
  if (rawError !== undefined && recognizedOverflow[shape]?.test(textOf(rawError['message']) ?? '') === true)
    return rejected;
  return { ...rejected, rawError: undefined, message: overflowMessage(shape, overflow) };
}

function overflowMessage(shape: ErrorShape, overflow: ContextOverflow): string {
  if (shape === 'anthropic') return anthropicOverflow(overflow);
  return shape === 'google' ? googleOverflow(overflow) : openaiOverflow(overflow);
}

/** https://platform.openai.com/docs/guides/error-codes */
function openaiOverflow({ tokens, limit }: ContextOverflow): string {
  if (limit === undefined)
    return 'Your input exceeds the context window of this model. Please adjust your input and try again.';
  const size = tokens === undefined ? '' : ` However, your messages resulted in ${tokens} tokens.`;
  return `This model's maximum context length is ${limit} tokens.${size} Please reduce the length of the messages.`;
}

/** Claude Code parses the start and both numbers: https://docs.anthropic.com/en/api/errors */
function anthropicOverflow({ tokens, limit }: ContextOverflow): string {
  if (limit === undefined) return 'prompt is too long';
  if (tokens === undefined) return `prompt is too long: the maximum is ${limit} tokens`;
  return `prompt is too long: ${tokens} tokens > ${limit} maximum`;
}

/** https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference */
function googleOverflow({ tokens, limit }: ContextOverflow): string {
  const size = tokens === undefined ? '' : ` (${tokens})`;
  const most = limit === undefined ? '' : ` (${limit})`;
  return `The input token count${size} exceeds the maximum number of tokens allowed${most}.`;
}
