/** Detection of errors inside a response whose status is 200. */
import type { JsonObject } from '../json/json.ts';
import { DEPTH_MAX, isDeeperThan, isObject, objectOf, textOf } from '../json/json.ts';
import type { Target } from '../model/provider.ts';
import { readEmbeddedError } from './read-error.ts';
import { UpstreamError } from './upstream-error.ts';

/** The most that is held in memory of one answer, or of one event of a stream: images come as base64. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Memory of a response, or an event, that is read as text and written again, as a multiple of its bytes: the bytes as they
 * came, the text or its values, and the bytes as they go.
 */
export const PARSE_FACTOR = 3;

/** Calls, blocks or items of one answer. Something of each is kept until its end. */
export const ITEMS_MAX = 10_000;

/** @param count of them so far. @throws UpstreamError `garbled` when there are too many */
export function checkItemCount(count: number): void {
  if (count > ITEMS_MAX) throw garbledError('The upstream sent a response with too many items.');
}

/**
 * Members of a real response: if one of these holds an object or a list, the body is not an error, whatever else it
 * contains.
 */
const responseMembers = ['choices', 'content', 'data', 'delta', 'content_block', 'message'];

/** Types of error events. */
const errorTypes: ReadonlySet<unknown> = new Set(['error', 'response.failed']);

/** The error that a vendor wrote into a 200 answer, or none. `EventScanner` has to find all that is one here. */
export function findEmbeddedError(json: unknown, target: Target): UpstreamError | undefined {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  // Groq reports a failure in the middle of a stream in a field of its own.
  // OpenAI's Responses end a failed stream with the whole response, in which it stands.
  const error = body['error'] ?? objectOf(body['x_groq'])['error'] ?? objectOf(body['response'])['error'];
  if (hasContent(error)) return readEmbeddedError({ ...body, error }, target);
  const isError =
    hasContent(body['errors']) ||
    isFailed(body['base_resp']) ||
    errorTypes.has(body['type']) ||
    isFailedResponse(body) ||
    isFailedResponse(objectOf(body['response'])) ||
    isMessageOnly(body);
  return isError ? readEmbeddedError(body, target) : undefined;
}

/** Some vendors name the field in every answer, with nothing in it. */
function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) || textOf(value) !== undefined || value === true;
}

/** Some vendors end every answer with a report; nothing but zero is a failure. */
function isFailed(report: unknown): boolean {
  return (objectOf(report)['status_code'] ?? 0) !== 0;
}

/** A response of OpenAI's Responses that failed without saying why. */
function isFailedResponse(body: JsonObject): boolean {
  return body['object'] === 'response' && body['status'] === 'failed';
}

/** FastAPI and many gateways say what is wrong without the word error. */
function isMessageOnly(body: JsonObject): boolean {
  const words = [body['message'], body['msg'], body['error_msg']].some((text) => textOf(text) !== undefined);
  if (!words && !hasContent(body['detail'])) return false;
  return responseMembers.every((member) => !isObject(body[member]) && !Array.isArray(body[member]));
}

/** Returns the members of an answer except objects without a word in them, such as an error that did not happen. */
export function removeBlankMembers(answer: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => !(isObject(value) && isBlank(value))));
}

function isBlank(value: JsonObject): boolean {
  return Object.values(value).every((member) => member === '' || member === 0 || member == null);
}

export function garbledError(message: string): UpstreamError {
  return new UpstreamError('garbled', message, { status: 200 });
}

/** JSON text of what an upstream wrote as an object. @throws UpstreamError `garbled` when it has no end in sight */
export function stringifyVendorJson(value: JsonObject): string {
  if (isDeeperThan(DEPTH_MAX, value)) throw tooDeepError();
  return JSON.stringify(value);
}

export function tooDeepError(): UpstreamError {
  return garbledError(`The upstream sent a response nested deeper than ${DEPTH_MAX} levels.`);
}

export function emptyResponseError(): UpstreamError {
  return failedResponseError('The upstream sent an empty response.', 'empty_answer');
}

/** An end that is no answer; another channel may give one. */
export function failedResponseError(message: string, code: string): UpstreamError {
  return new UpstreamError('overloaded', message, { status: 200, code });
}

export function cutStreamError(): UpstreamError {
  return new UpstreamError('overloaded', 'The upstream ended the stream before the response was complete.', {
    status: 200,
    code: 'stream_cut',
  });
}
