/** Ids of tasks at vendors, in their various forms, and generated ids. */

import { randomUUID } from 'node:crypto';
import { checkItemCount } from '../errors/response-limits.ts';
import { isObject, shortCopy, textOf } from '../json/json.ts';
import type { ResponseEvent } from './conversation.ts';

/** Pattern of one path segment without escapes, because an id becomes part of its vendor's URL. */
const plainId = /^(?!\.{1,2}$)[\w.:=+~@-]{1,200}$/;

/**
 * Returns a task's id: a text, an integer, an object that contains one, or a list of one of these.
 * @returns undefined for an id that could change the path
 */
export function parseTaskId(value: unknown, pattern: RegExp = plainId): string | undefined {
  if (Array.isArray(value)) return value.length === 1 ? parseTaskId(value[0], pattern) : undefined;
  if (isObject(value)) {
    const ids = [value['task_id'], value['taskId'], value['id']].map((id) => parseTaskId(id, pattern));
    return ids.find((id) => id !== undefined);
  }
  const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
  const id = isInteger ? String(value) : typeof value === 'string' ? value.trim() : '';
  return pattern.test(id) ? id : undefined;
}

/** Returns a unique id. */
export function createId(prefix: string): string {
  return prefix + randomUUID().replaceAll('-', '');
}

/**
 * Returns the start event of a response. Its id and model are cut, because each following chunk, and the id of each
 * call, may repeat them.
 */
export function startEvent(id: unknown, model?: unknown): Extract<ResponseEvent, { type: 'start' }> {
  return { type: 'start', id: shortCopy(textOf(id) ?? ''), model: shortCopy(textOf(model) ?? '') };
}

/** Call that the client or the vendor runs. */
type CallEvent = Extract<ResponseEvent, { type: 'tool-call' | 'vendor-call' }>;

/**
 * Assigner of unique call ids within a response. Some vendors send none, or the tool's name; clients match results by
 * id, and OpenAI's library refuses a response with two equal ids.
 */
export class UniqueCalls {
  readonly #ids = new Set<string>();

  /**
   * Returns the events with unique call ids; the same list without calls.
   * @throws UpstreamError when the response has too many calls
   */
  assignIds(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    return events.some(isCall) ? events.map((event) => (isCall(event) ? this.#ofCall(event) : event)) : events;
  }

  #ofCall(event: CallEvent): ResponseEvent {
    if (event.type === 'tool-call') return { ...event, callId: this.#unique(event.callId) };
    return { ...event, call: { ...event.call, callId: this.#unique(event.call.callId) } };
  }

  #unique(said: string): string {
    const id = said === '' || this.#ids.has(shortCopy(said)) ? createId('call_') : said;
    this.#ids.add(shortCopy(id));
    checkItemCount(this.#ids.size);
    return id;
  }
}

function isCall(event: ResponseEvent): event is CallEvent & { choice?: number } {
  return event.type === 'tool-call' || event.type === 'vendor-call';
}
