import { garbledError, HELD_BYTES_MAX } from '../../../errors/response-errors.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';

/** Returns the names of the custom tools that a client declared. */
export function customToolNames(request: JsonObject): ReadonlySet<string> {
  return new Set(listOf(request['tools']).flatMap((tool) => textOf(objectOf(objectOf(tool)['custom'])['name']) ?? []));
}

interface HeldCall {
  index: number;
  text: string;
}

/** Calls of custom tools, whose text is known only when their JSON is complete. */
export class HeldCalls {
  readonly #calls = new Map<number, HeldCall>();
  #characters = 0;

  start(index: number): void {
    this.#calls.set(index, { index, text: '' });
  }

  /** @returns whether the arguments belong to such a call */
  add(index: number, text: string): boolean {
    const call = this.#calls.get(index);
    if (call === undefined) return false;
    this.#characters += text.length;
    if (this.#characters > HELD_BYTES_MAX) throw garbledError('The upstream sent a tool call that is too large.');
    call.text += text;
    return true;
  }

  take(): HeldCall[] {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    return calls;
  }
}
