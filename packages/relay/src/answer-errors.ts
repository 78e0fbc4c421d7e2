/** What goes wrong inside an answer whose status said 200. */
import type { JsonObject } from './json.ts';
import { isObject, objectOf, textOf } from './json.ts';
import { errorFacts } from './read-error.ts';
import { redact, type Secrets } from './redact.ts';
import { UpstreamError } from './upstream-error.ts';

/** The most that is held in memory of one answer, or of one event of a stream: images come as base64. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;

/** The error that a vendor wrote into a 200 answer, or none. */
export function embeddedError(body: JsonObject, secrets: Secrets): UpstreamError | undefined {
  // Groq reports a failure in the middle of a stream in a field of its own.
  const error = body['error'] ?? objectOf(body['x_groq'])['error'];
  if (!isObject(error) && textOf(error) === undefined) return undefined;
  const facts = errorFacts({ ...body, error });
  const message = facts.message ?? 'The upstream reported an error.';
  const code = facts.code ?? facts.type;
  return new UpstreamError('overloaded', redact(message, secrets), { status: 200, code });
}

export function garbled(message: string): UpstreamError {
  return new UpstreamError('garbled', message, { status: 200 });
}

export function cutStream(): UpstreamError {
  return new UpstreamError('overloaded', 'The upstream ended the stream before the answer was complete.', {
    status: 200,
    code: 'stream_cut',
  });
}
