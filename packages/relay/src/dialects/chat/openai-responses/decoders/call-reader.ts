import { type JsonObject, textOf } from '../../../../json/json.ts';
import type { AnswerEvent } from '../../../../model/conversation.ts';
import { writtenArguments } from '../../../../translate/tool-input.ts';
import { type CallKindName, callKindOf, callKinds } from '../call-kinds.ts';
import { isNamed, joinedName, kindOfTool } from '../client-tools.ts';

/** The function that an item of an answer calls. */
export interface CalledFunction {
  kind: CallKindName;
  name: string;
}

/** Returns undefined for items that are no call, also for calls that the vendor has answered itself. */
export function calledFunction(item: JsonObject): CalledFunction | undefined {
  const kind = callKindOf(item);
  if (kind === undefined || kindOfTool({ execution: 'client', ...item, type: kind }) === undefined)
    return undefined;
  const name = isNamed(kind) ? textOf(item['name']) : kind;
  if (name === undefined) return undefined;
  return { kind, name: joinedName({ kind, namespace: textOf(item['namespace']), name }) };
}

/** One tool call as its pieces come, in the neutral form: as a function with JSON for its arguments. */
export class CallReader {
  readonly #index: number;
  readonly #kind: CallKindName;
  #hasText = false;
  #isOver = false;

  constructor(index: number, kind: CallKindName) {
    this.#index = index;
    this.#kind = kind;
  }

  piece(text: string): AnswerEvent[] {
    if (this.#isOver) return [];
    const isCustom = this.#kind === 'custom';
    const head = isCustom && !this.#hasText ? '{"input":"' : '';
    this.#hasText = true;
    return [this.#told(head + (isCustom ? JSON.stringify(text).slice(1, -1) : text))];
  }

  /** Some upstreams send the whole alone, or nothing for a call without arguments, or an object. */
  whole(item: JsonObject): AnswerEvent[] {
    if (this.#isOver) return [];
    if (this.#kind === 'function' || this.#kind === 'custom') return this.#wholeText(item);
    this.#isOver = true;
    return [this.#told(callKinds[this.#kind].argumentsOf(item))];
  }

  #wholeText(item: JsonObject): AnswerEvent[] {
    const isCustom = this.#kind === 'custom';
    const given = isCustom ? item['input'] : item['arguments'];
    const text = writtenArguments(given) ?? (isCustom ? '' : '{}');
    const missing = this.#hasText ? [] : this.piece(text);
    this.#isOver = true;
    return isCustom ? [...missing, this.#told('"}')] : missing;
  }

  #told(text: string): AnswerEvent {
    return { type: 'tool-arguments', index: this.#index, text };
  }
}
