/** Detection of errors inside a response whose status is 200. */
import { isObject, type JsonObject, objectOf, textOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import { readEmbeddedError } from './read-upstream-error.ts';
import type { UpstreamError } from './upstream-error.ts';

/**
 * Members of a real response: if one of these holds an object or a list, the body is not an error, whatever else it
 * contains.
 */
const responseMembers = ['choices', 'content', 'data', 'delta', 'content_block', 'message'];

/** Types of error events. */
const errorTypes: ReadonlySet<unknown> = new Set(['error', 'response.failed']);

/**
 * Returns the error inside a response of status 200, if any. `EventScanner` must find every error that this function
 * finds.
 */
export function findEmbeddedError(json: unknown, target: Target): UpstreamError | undefined {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  // Groq reports a failure during a stream in its own field. OpenAI's Responses end a failed stream with the whole
  // response, which contains the error.
  const error = body['error'] ?? objectOf(body['x_groq'])['error'] ?? objectOf(body['response'])['error'];
  if (hasContent(error)) return withoutRefusedImage(body, readEmbeddedError({ ...body, error }, target));
  const isError =
    hasContent(body['errors']) ||
    isFailed(body['base_resp']) ||
    errorTypes.has(body['type']) ||
    isFailedResponse(body) ||
    isFailedResponse(objectOf(body['response'])) ||
    isMessageOnly(body);
  return isError ? readEmbeddedError(body, target) : undefined;
}

/**
 * Returns undefined for a refused image of several: Volcengine continues with the next one.
 * https://www.volcengine.com/docs/82379/1824137
 */
function withoutRefusedImage({ type }: JsonObject, error: UpstreamError): UpstreamError | undefined {
  return error.kind === 'rejected' && textOf(type)?.endsWith('.partial_failed') === true ? undefined : error;
}

/** Returns whether the field has content; some vendors include an empty one in every response. */
function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) || textOf(value) !== undefined || value === true;
}

/**
 * Returns whether a status report means a failure; some vendors end every response with one, and zero is a success.
 */
function isFailed(report: unknown): boolean {
  return (objectOf(report)['status_code'] ?? 0) !== 0;
}

/** Returns whether a response of OpenAI's Responses failed without a reason. */
function isFailedResponse(body: JsonObject): boolean {
  return body['object'] === 'response' && body['status'] === 'failed';
}

/** Returns whether a body only has a message: FastAPI and many gateways report errors without an error field. */
function isMessageOnly(body: JsonObject): boolean {
  const words = [body['message'], body['msg'], body['error_msg']].some((text) => textOf(text) !== undefined);
  if (!words && !hasContent(body['detail'])) return false;
  return responseMembers.every((member) => !isObject(body[member]) && !Array.isArray(body[member]));
}

/** Returns the members of a response without objects that have no text, such as an empty error. */
export function removeBlankMembers(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => !(isObject(value) && isBlank(value))));
}

function isBlank(value: JsonObject): boolean {
  return Object.values(value).every((member) => member === '' || member === 0 || member == null);
}
