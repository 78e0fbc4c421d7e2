import { stringifyVendorJson } from '../errors/upstream-error.ts';
import { isObject, objectOf, parseToolJson, textOf } from '../json/json.ts';
import { findExcess } from '../json/request-json-limits.ts';
import type { Turn } from '../model/conversation.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';

/** Returns a tool call's arguments as an object. An invalid text is kept under a name that marks it. */
export function toToolInput(text: string): unknown {
  if (text.trim() === '') return {};
  return parseToolInput(text) ?? { _raw: text };
}

/** Returns undefined unless the text is a complete object. */
export function parseToolInput(text: string): unknown {
  const parsed = findExcess([text]) === undefined ? parseToolJson(text) : undefined;
  return isObject(parsed) ? objectOf(parsed) : undefined;
}

/**
 * Returns the arguments of a call, or a fragment of them, as JSON text; undefined without any. Some vendors write an
 * object where their dialect has text, or the reverse.
 * @throws UpstreamError `garbled` when they are nested too deeply
 */
export function readArguments(value: unknown): string | undefined {
  return isObject(value) ? stringifyVendorJson(value) : textOf(value);
}

/**
 * Returns the arguments of a call in a client's history as JSON text, as both of OpenAI's dialects require. Some
 * clients keep the parsed object.
 */
export function stringifyArguments(value: unknown): string {
  return isObject(value) ? JSON.stringify(value) : (textOf(value) ?? '{}');
}

/**
 * Checks the arguments of the calls, which are unparsed text in the client's dialect.
 * @throws InvalidRequestError when they are too much to be parsed
 */
export function checkArguments(turns: readonly Turn[]): void {
  const calls = turns.flatMap((turn) => turn.parts).filter((part) => part.type === 'tool-call');
  const excess = findExcess(calls.map((call) => call.arguments));
  if (excess === undefined) return;
  throw new InvalidRequestError(`The request, with the arguments of its tool calls, ${excess}.`, 'messages');
}
