/**
 * OpenAI's custom tools take text instead of JSON. Elsewhere they are functions with a single text, and a call of one
 * comes back as the client declared it.
 */

import { garbled, HELD_BYTES_MAX } from '../../answer-errors.ts';
import type { Tool } from '../../conversation.ts';
import { InvalidRequest } from '../../invalid-request.ts';
import { isObject, type JsonObject, listOf, objectOf, parseJson, textOf } from '../../json.ts';

const parameters = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
};

export function decodeCustomTool(tool: JsonObject, unsupported: string[]): Tool {
  const details = objectOf(tool['custom']);
  const name = textOf(details['name']);
  if (name === undefined) throw new InvalidRequest('Each tool needs a name.', 'tools');
  if (objectOf(details['format'])['type'] === 'grammar') unsupported.push('tools.custom.format');
  return { name, description: textOf(details['description']), parameters };
}

export function argumentsOfCustom(input: unknown): string {
  return JSON.stringify({ input: textOf(input) ?? '' });
}

/** What is no object with such a text is what the model wrote in its place. */
export function inputOfCustom(text: string): string {
  const parsed = parseJson(text);
  const input = isObject(parsed) ? parsed['input'] : undefined;
  return typeof input === 'string' ? input : text;
}

/** Names of the custom tools that a client declared. */
export function customToolNames(request: JsonObject): ReadonlySet<string> {
  return new Set(
    listOf(request['tools']).flatMap((tool) => textOf(objectOf(objectOf(tool)['custom'])['name']) ?? []),
  );
}

interface HeldCall {
  index: number;
  callId: string;
  name: string;
  text: string;
}

/** Calls whose text is only known once their JSON is whole. */
export class HeldCalls {
  readonly #calls = new Map<number, HeldCall>();
  #characters = 0;

  start(index: number, callId: string, name: string): void {
    this.#calls.set(index, { index, callId, name, text: '' });
  }

  /** @returns whether it belongs to such a call */
  add(index: number, text: string): boolean {
    const call = this.#calls.get(index);
    if (call === undefined) return false;
    this.#characters += text.length;
    if (this.#characters > HELD_BYTES_MAX) throw garbled('The upstream sent a tool call without end.');
    call.text += text;
    return true;
  }

  take(): HeldCall[] {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    return calls;
  }
}
