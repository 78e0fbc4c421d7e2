import { type JsonObject, textOf } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { readArguments } from '../../../../translate/tool-input.ts';
import { type CallKindName, callKinds, getCallKind } from '../client-call-kinds.ts';
import { getToolKind, isNamed, qualifiedName } from '../client-tools.ts';

/** Function that an item of a response calls. */
export interface CalledFunction {
  kind: CallKindName;
  name: string;
}

/** Reads the called function; returns undefined for items that are not a call, or a call that the vendor ran. */
export function readCalledFunction(item: JsonObject): CalledFunction | undefined {
  const kind = getCallKind(item);
  if (kind === undefined || getToolKind({ execution: 'client', ...item, type: kind }) === undefined) return undefined;
  const name = isNamed(kind) ? textOf(item['name']) : kind;
  if (name === undefined) return undefined;
  return { kind, name: qualifiedName({ kind, namespace: textOf(item['namespace']), name }) };
}

/** Decoder of a tool call's fragments to a neutral function call with JSON arguments. */
export class CallReader {
  readonly #index: number;
  readonly #kind: CallKindName;
  #hasText = false;
  #isOver = false;

  constructor(index: number, kind: CallKindName) {
    this.#index = index;
    this.#kind = kind;
  }

  addPiece(text: string): ResponseEvent[] {
    if (this.#isOver) return [];
    const isCustom = this.#kind === 'custom';
    const head = isCustom && !this.#hasText ? '{"input":"' : '';
    this.#hasText = true;
    return [this.#told(head + (isCustom ? JSON.stringify(text).slice(1, -1) : text))];
  }

  /**
   * Completes the call. Some upstreams send only the complete item, nothing for a call without arguments, or an
   * object.
   */
  finish(item: JsonObject): ResponseEvent[] {
    if (this.#isOver) return [];
    if (this.#kind === 'function' || this.#kind === 'custom') return this.#wholeText(item);
    this.#isOver = true;
    return [this.#told(callKinds[this.#kind].encodeArguments(item))];
  }

  #wholeText(item: JsonObject): ResponseEvent[] {
    const isCustom = this.#kind === 'custom';
    const given = isCustom ? item['input'] : item['arguments'];
    const text = readArguments(given) ?? (isCustom ? '' : '{}');
    const missing = this.#hasText ? [] : this.addPiece(text);
    this.#isOver = true;
    return isCustom ? [...missing, this.#told('"}')] : missing;
  }

  #told(text: string): ResponseEvent {
    return { type: 'tool-arguments', index: this.#index, text };
  }
}
