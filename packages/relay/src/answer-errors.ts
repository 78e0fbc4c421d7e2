/** What goes wrong inside an answer whose status said 200. */
import type { JsonObject } from './json.ts';
import { DEPTH_MAX, isDeeperThan, isObject, objectOf, textOf } from './json.ts';
import { errorFacts, kindInside } from './read-error.ts';
import { redact, type Secrets } from './redact.ts';
import { UpstreamError } from './upstream-error.ts';

/** The most that is held in memory of one answer, or of one event of a stream: images come as base64. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** Where one of these holds an object or a list, there is an answer, whatever else is said beside it. */
const answerMembers = ['choices', 'content', 'data', 'delta', 'content_block', 'message'];

/** Of events. */
const errorTypes: ReadonlySet<unknown> = new Set(['error', 'response.failed']);

/** The error that a vendor wrote into a 200 answer, or none. `EventScanner` has to find all that is one here. */
export function embeddedError(json: unknown, secrets: Secrets): UpstreamError | undefined {
  // Gemini's OpenAI dialect wraps its errors in a list.
  const body = objectOf(Array.isArray(json) ? json[0] : json);
  // Groq reports a failure in the middle of a stream in a field of its own.
  // OpenAI's Responses end a failed stream with the whole response, in which it stands.
  const error = body['error'] ?? objectOf(body['x_groq'])['error'] ?? objectOf(body['response'])['error'];
  if (isSaid(error)) return reportedError({ ...body, error }, secrets);
  const isError = isSaid(body['errors']) || errorTypes.has(body['type']) || isWordsAlone(body);
  return isError ? reportedError(body, secrets) : undefined;
}

/** @param json known to be an error, whatever it looks like */
export function reportedError(json: unknown, secrets: Secrets): UpstreamError {
  const facts = errorFacts(json);
  const message = facts.message ?? 'The upstream reported an error.';
  return new UpstreamError(kindInside(facts), redact(message, secrets), {
    status: 200,
    code: facts.code ?? facts.type,
  });
}

/** Some vendors name the field in every answer, with nothing in it. */
function isSaid(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return isObject(value) || textOf(value) !== undefined || value === true;
}

/** FastAPI and many gateways say what is wrong without the word error. */
function isWordsAlone(body: JsonObject): boolean {
  if (!isSaid(body['detail']) && textOf(body['message']) === undefined) return false;
  return answerMembers.every((member) => !isObject(body[member]) && !Array.isArray(body[member]));
}

export function garbled(message: string): UpstreamError {
  return new UpstreamError('garbled', message, { status: 200 });
}

/** JSON text of what an upstream wrote as an object. @throws UpstreamError `garbled` when it has no end in sight */
export function jsonText(value: JsonObject): string {
  if (isDeeperThan(DEPTH_MAX, value)) throw tooDeep();
  return JSON.stringify(value);
}

export function tooDeep(): UpstreamError {
  return garbled(`The upstream sent an answer nested deeper than ${DEPTH_MAX} levels.`);
}

export function cutStream(): UpstreamError {
  return new UpstreamError('overloaded', 'The upstream ended the stream before the answer was complete.', {
    status: 200,
    code: 'stream_cut',
  });
}
