import { garbledError, HELD_BYTES_MAX } from '../../../errors/response-errors.ts';
import { type JsonObject, textOf } from '../../../json/json.ts';
import type { ResponseEvent, VendorCall } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import { readResult, readVendorCall } from './decoders/read-vendor-call.ts';

/** Maximum vendor tool calls that wait for their results. */
const WAITING_MAX = 100;

/** Matches the calls of vendor tools with their results, which arrive in separate blocks. */
export class VendorCalls {
  readonly #waiting = new Map<string, VendorCall>();
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  addCall(block: JsonObject): ResponseEvent[] {
    const call = readVendorCall(block);
    if (call === undefined) this.#lost.add(`content.server_tool_use.${textOf(block['name']) ?? 'unknown'}`);
    else if (this.#waiting.size >= WAITING_MAX) return [{ type: 'vendor-call', call }];
    else this.#waiting.set(call.callId, call);
    return [];
  }

  addResult(block: JsonObject): ResponseEvent[] {
    const id = textOf(block['tool_use_id']) ?? '';
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (call !== undefined) return [{ type: 'vendor-call', call: { ...call, ...readResult(block) } }];
    this.#lost.add(`content.${textOf(block['type']) ?? 'unknown'}`);
    return [];
  }

  /** Returns the calls without a result, which remain when the vendor pauses. */
  takeUnfinished(): ResponseEvent[] {
    return [...this.#waiting.values()].map((call) => ({ type: 'vendor-call', call }));
  }
}

export type CallEvent = Extract<ResponseEvent, { index: number }>;

/** Fragments of tool calls that wait until the preceding call is complete. */
export class WaitingCalls {
  readonly #events = new Map<number, CallEvent[]>();
  #characters = 0;

  has(index: number): boolean {
    return this.#events.has(index);
  }

  add(event: CallEvent): void {
    if (event.type === 'tool-arguments') this.#characters += event.text.length;
    if (this.#characters > HELD_BYTES_MAX) throw garbledError('The upstream sent a tool call that is too large.');
    const events = this.#events.get(event.index);
    if (events === undefined) this.#events.set(event.index, [event]);
    else events.push(event);
  }

  /** Returns the events grouped by call. */
  take(): CallEvent[][] {
    const calls = [...this.#events.values()];
    this.#events.clear();
    this.#characters = 0;
    return calls;
  }
}
