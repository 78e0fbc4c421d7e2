/** Reads an error as its vendor wrote it, without what a client must not see. */
import { withoutAccountData } from './account-data.ts';
import { isDeeperThan, isObject, type JsonObject, objectOf, textOf } from './json.ts';
import { mapTexts, redact, type Secrets } from './redact.ts';
import type { VendorError } from './vendor-error.ts';

/** Longer errors are told by their message, code, type and parameter. */
const ERROR_MAX_CHARACTERS = 16_384;
const ERROR_DEPTH_MAX = 8;
const essential = ['message', 'type', 'code', 'status', 'param'];

/**
 * Returns the error in a body, without what a client must not see.
 * @param facts as the vendor named them, with the status that a client is to get, and a message without secrets
 */
export function vendorErrorOf(
  json: unknown,
  facts: Pick<VendorError, 'status' | 'message' | 'code' | 'param'>,
  secrets: Secrets,
): VendorError {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  const found = shapeOf(body);
  const shown = (text: string): string => withoutAccountData(redact(text, secrets));
  const error = found === undefined ? {} : objectOf(mapTexts(bounded(found.error), shown));
  return {
    ...facts,
    message: withoutAccountData(facts.message),
    shape: found?.shape,
    error,
    requestId: textOf(body['request_id']),
  };
}

/** Fields of OpenAI's errors that its streams leave out. */
const rejected = { type: 'invalid_request_error', param: null };

function shapeOf(body: JsonObject): Pick<VendorError, 'shape' | 'error'> | undefined {
  const { error } = body;
  if (isObject(error) && textOf(error['message']) !== undefined) {
    if (body['type'] === 'error' && textOf(error['type']) !== undefined && !('param' in error))
      return { shape: 'anthropic', error };
    if (textOf(error['status']) !== undefined && typeof error['code'] === 'number')
      return { shape: 'google', error };
    // A failed response of OpenAI's Responses names no type.
    return { shape: 'openai', error: body['type'] === 'response.failed' ? { ...rejected, ...error } : error };
  }
  return isFlat(body) ? { shape: 'openai', error: { ...rejected, ...membersOf(body) } } : undefined;
}

/** vLLM, Mistral, and the event of OpenAI's Responses have the members of the error at the top. */
function isFlat(body: JsonObject): boolean {
  return (body['object'] === 'error' || body['type'] === 'error') && textOf(body['message']) !== undefined;
}

function membersOf({ message, param = null, code = null, ...rest }: JsonObject): JsonObject {
  return { message, ...(rest['object'] === 'error' && { type: rest['type'] ?? null }), param, code };
}

function bounded(error: JsonObject): JsonObject {
  if (!isDeeperThan(ERROR_DEPTH_MAX, error) && JSON.stringify(error).length <= ERROR_MAX_CHARACTERS)
    return error;
  return Object.fromEntries(
    essential.flatMap((name) => {
      const value = error[name];
      return value === undefined || typeof value === 'object' ? [] : [[name, value]];
    }),
  );
}
