import { jsonText } from '../../answer-errors.ts';
import type { AnswerEvent } from '../../conversation.ts';
import { isObject, type JsonObject, textOf } from '../../json.ts';

/**
 * One tool call as its pieces come. The input of a custom tool is plain text: in the neutral form it is the argument
 * `input` of a function.
 */
export class CallReader {
  readonly #index: number;
  readonly #isCustom: boolean;
  #hasText = false;
  #isOver = false;

  constructor(index: number, item: JsonObject) {
    this.#index = index;
    this.#isCustom = item['type'] === 'custom_tool_call';
  }

  piece(text: string): AnswerEvent[] {
    if (this.#isOver) return [];
    const head = this.#isCustom && !this.#hasText ? '{"input":"' : '';
    this.#hasText = true;
    return [this.#told(head + (this.#isCustom ? JSON.stringify(text).slice(1, -1) : text))];
  }

  /** Some upstreams send the whole alone, or nothing for a call without arguments, or an object. */
  whole(item: JsonObject): AnswerEvent[] {
    if (this.#isOver) return [];
    const given = this.#isCustom ? item['input'] : item['arguments'];
    const text = (isObject(given) ? jsonText(given) : textOf(given)) ?? (this.#isCustom ? '' : '{}');
    const missing = this.#hasText ? [] : this.piece(text);
    this.#isOver = true;
    return this.#isCustom ? [...missing, this.#told('"}')] : missing;
  }

  #told(text: string): AnswerEvent {
    return { type: 'tool-arguments', index: this.#index, text };
  }
}
