/** Vendor errors without the parts that a client must not see. */

import { isObject, type JsonObject, objectOf, textOf } from '../json/json.ts';
import { mapStrings, type Redactor } from './redact-keys.ts';
import type { VendorError } from './upstream-error.ts';

/** Maximum characters; larger errors are reduced to their essential fields. */
const ERROR_MAX_CHARACTERS = 16_384;
/**
 * Maximum values, each of which is searched for keys. The vendors' longest errors, which list the faults of a tool
 * schema, have about a hundred.
 */
const ERROR_VALUES_MAX = 1_000;
const ERROR_DEPTH_MAX = 8;
/** Fields that every error keeps; `event_id` names the client event that caused an error in a realtime session. */
const essentialFields = ['message', 'type', 'code', 'status', 'param', 'event_id'];

/**
 * Returns the error of a body, without the parts that a client must not see.
 * @param facts vendor's facts with the client's status, and a message without secrets
 */
export function readVendorError(
  json: unknown,
  facts: Pick<VendorError, 'status' | 'message' | 'code' | 'param'>,
  redact: Redactor,
): VendorError {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  const found = detectShape(body);
  const shown = (text: string): string => redactAccountData(redact(text));
  const error = found === undefined ? {} : objectOf(mapStrings(limitErrorSize(found.error), shown));
  return {
    ...facts,
    message: redactAccountData(facts.message),
    shape: found?.shape,
    error,
    requestId: textOf(body['request_id']),
  };
}

/** Fields of OpenAI's errors that its streams omit. */
const rejected = { type: 'invalid_request_error', param: null };

function detectShape(body: JsonObject): Pick<VendorError, 'shape' | 'error'> | undefined {
  const { error } = body;
  if (isObject(error) && textOf(error['message']) !== undefined) {
    if (body['type'] === 'error' && textOf(error['type']) !== undefined && !('param' in error))
      return { shape: 'anthropic', error };
    if (textOf(error['status']) !== undefined && typeof error['code'] === 'number') return { shape: 'google', error };
    // A failed response of OpenAI's Responses has no error type.
    return { shape: 'openai', error: body['type'] === 'response.failed' ? { ...rejected, ...error } : error };
  }
  return isFlat(body) ? { shape: 'openai', error: { ...rejected, ...toErrorMembers(body) } } : undefined;
}

/** Returns whether the error's members are at the top, as in vLLM, Mistral, and the event of OpenAI's Responses. */
function isFlat(body: JsonObject): boolean {
  return (body['object'] === 'error' || body['type'] === 'error') && textOf(body['message']) !== undefined;
}

function toErrorMembers({ message, param = null, code = null, ...rest }: JsonObject): JsonObject {
  return { message, ...(rest['object'] === 'error' && { type: rest['type'] ?? null }), param, code };
}

/** Returns the error; if it is too large to be searched for secrets, only its essential fields. */
export function limitErrorSize(error: JsonObject): JsonObject {
  if (!isLarge(error)) return error;
  return Object.fromEntries(
    essentialFields.flatMap((name) => {
      const value = error[name];
      return value === undefined || typeof value === 'object' ? [] : [[name, value]];
    }),
  );
}

/** Returns whether the error is too large. Counts the values first, because serializing megabytes takes longer. */
function isLarge(error: JsonObject): boolean {
  let values = 0;
  const exceeds = (value: unknown, levels: number): boolean => {
    values += 1;
    if (values > ERROR_VALUES_MAX) return true;
    if (typeof value !== 'object' || value === null) return false;
    return levels === 0 || Object.values(value).some((inner) => exceeds(inner, levels - 1));
  };
  return exceeds(error, ERROR_DEPTH_MAX) || JSON.stringify(error).length > ERROR_MAX_CHARACTERS;
}

/**
 * Patterns of the operator's account data in vendor errors: the account's identity and billing. Each match is
 * replaced with a word, so that the sentence stays readable.
 */
const UUID = String.raw`[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}`;

const replacements: readonly (readonly [RegExp, string])[] = [
  [/\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b/g, '[email]'],
  // AWS, Azure, Google
  [/\barn:aws[\w-]*:[^\s"',)]+/gi, '[account]'],
  [/\/?subscriptions\/[^\s"',)]+/gi, '[account]'],
  [/\bprojects\/[\w-]+/gi, 'projects/[account]'],
  // OpenAI, Anthropic, OpenRouter, Groq
  [/\b(?:org|proj|user|acct|team|ws|wrkspc|tenant|cus)[-_](?=[\w-]*\d)[\w-]{6,}/gi, '[account]'],
  [/\borg-[\w-]{2,}/gi, '[account]'],
  [
    new RegExp(
      String.raw`\b((?:organi[sz]ation|project|team|account|workspace|tenant|subscription|user|consumer|customer|uid|api key)(?:[ _-]?(?:id|number|name))?(?: is)?[ :=#'"\x60(]{1,4})(?:project[s]?[:/])?(?:${UUID}|(?=[\w-]*\d)[\w-]{6,})`,
      'gi',
    ),
    '$1[account]',
  ],
];

const address = /\bhttps?:\/\/[^\s"'<>()\]]{1,2000}/gi;
const manageAccount =
  /account|admin|billing|console|credit|dashboard|manage|organi[sz]ation|\borg\b|platform|plans|portal|project|settings|subscription|team|usage|workspace/i;
/** Parts of a URL that identify an account: a query, a long number, a UUID, a random word. */
const accountIdentifier = new RegExp(
  String.raw`\?|\d{5,}|${UUID}|\b[a-z]{2,7}[-_](?=\w*\d)\w{4,}|(?=[a-z]*\d)(?=\d*[a-z])\w{16,}`,
  'i',
);

/** Removes the ids, addresses and names of the operator's account from a vendor's message. */
export function redactAccountData(text: string): string {
  const clean = text.replaceAll(address, (url) => {
    const [origin = ''] = /^https?:\/\/[^/?#]*/i.exec(url) ?? [];
    return manageAccount.test(url) && accountIdentifier.test(url.slice(origin.length)) ? origin : url;
  });
  return replacements.reduce((so, [pattern, word]) => so.replaceAll(pattern, word), clean);
}
