import { checkItemCount, garbled, HELD_BYTES_MAX } from '../../../errors/answer-errors.ts';
import { type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import { newId } from '../../../model/new-id.ts';
import { writtenArguments } from '../../../translate/tool-input.ts';

interface OpenCall {
  callId: string;
  /** Undefined until its name came. */
  index: number | undefined;
  name: string | undefined;
  /** The arguments that came before the name. */
  waiting: string;
  /** The arguments so far end like an object. */
  endsObject: boolean;
}

/**
 * Sorts fragments of parallel tool calls. By the book `index` tells them apart and only the first fragment has
 * id and name; in practice the index is missing (Mistral), always 0 (old Ollama), starts at 1 (Anthropic's
 * compatible endpoint), and later fragments repeat the id or carry empty ids and names (Qwen, Mistral). A call whose
 * first fragment has no name begins with the one that has it; a call that never has one is none. Where calls have
 * neither ids nor indexes of their own, another name begins another call, as does an object behind an object.
 */
export class ToolCallTracker {
  /** Number of calls that have a name. */
  count = 0;
  #begun = 0;
  #heldCharacters = 0;
  readonly #open = new Map<string, OpenCall>();
  #last: OpenCall | undefined;
  readonly #answerId: string;

  /** @param answerId makes ids unique for vendors that give none */
  constructor(answerId: string) {
    this.#answerId = answerId === '' ? newId('') : answerId;
  }

  read(fragment: JsonObject, events: AnswerEvent[]): void {
    const details = objectOf(fragment['function']);
    const id = textOf(fragment['id']);
    const name = textOf(details['name']);
    const text = writtenArguments(details['arguments']);
    const known = this.#find(fragment['index'], id);
    const goesOn = known !== undefined && (id !== undefined || !isAnother(known, name, text));
    const call = goesOn ? known : this.#start(fragment['index'], id);
    this.#last = call;
    if (text !== undefined) call.endsObject = text.endsWith('}');
    if (call.index === undefined && name === undefined) {
      this.#wait(call, text ?? '');
      return;
    }
    if (call.index === undefined && name !== undefined) {
      call.index = this.count++;
      call.name = name;
      events.push({ type: 'tool-call', index: call.index, callId: call.callId, name });
    }
    const whole = call.waiting + (text ?? '');
    call.waiting = '';
    if (call.index !== undefined && whole !== '')
      events.push({ type: 'tool-arguments', index: call.index, text: whole });
  }

  #wait(call: OpenCall, text: string): void {
    this.#heldCharacters += text.length;
    if (this.#heldCharacters > HELD_BYTES_MAX)
      throw garbled('The upstream sent a tool call that is too large.');
    call.waiting += text;
  }

  #find(index: unknown, id: string | undefined): OpenCall | undefined {
    if (typeof index !== 'number') return id === undefined ? this.#last : this.#open.get(`id ${id}`);
    const call = this.#open.get(`index ${index}`);
    return call !== undefined && (id === undefined || id === call.callId) ? call : undefined;
  }

  #start(upstreamIndex: unknown, id: string | undefined): OpenCall {
    const callId = id ?? `call_${this.#answerId}_${this.#begun}`;
    const call: OpenCall = { index: undefined, callId, name: undefined, waiting: '', endsObject: false };
    this.#begun++;
    checkItemCount(this.#begun);
    if (typeof upstreamIndex === 'number') this.#open.set(`index ${upstreamIndex}`, call);
    if (id !== undefined) this.#open.set(`id ${id}`, call);
    return call;
  }
}

/** Returns whether a fragment without an id begins another call than the known one. Some vendors repeat the name. */
function isAnother(known: OpenCall, name: string | undefined, text: string | undefined): boolean {
  if (name === undefined || known.name === undefined) return false;
  return name !== known.name || (known.endsObject && text?.startsWith('{') === true);
}
