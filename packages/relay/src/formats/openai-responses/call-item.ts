import { inputOfCustom } from '../openai-custom-tools.ts';
import type { ItemStatus, OutputItem, Place, ResponseEvent } from './output-item.ts';

/** @property callId of the upstream: it pairs the call with its output */
interface Call {
  callId: string;
  name: string;
  /** The client declared the tool as one that takes plain text. */
  isCustom: boolean;
}

export class CallItem implements OutputItem {
  readonly kind = 'call';
  readonly #place: Place;
  readonly #call: Call;
  #text = '';

  constructor(place: Place, call: Call) {
    this.#place = place;
    this.#call = call;
  }

  json(status: ItemStatus): Record<string, unknown> {
    const { callId, name, isCustom } = this.#call;
    return {
      id: this.#place.item_id,
      type: isCustom ? 'custom_tool_call' : 'function_call',
      status,
      call_id: callId,
      name,
      ...(isCustom ? { input: inputOfCustom(this.#text) } : { arguments: this.#text }),
    };
  }

  /** Plain text is known when its JSON is complete. */
  arguments(text: string): ResponseEvent[] {
    this.#text += text;
    if (this.#call.isCustom) return [];
    return [{ type: 'response.function_call_arguments.delta', ...this.#place, delta: text }];
  }

  close(): ResponseEvent[] {
    const { name, isCustom } = this.#call;
    if (isCustom) {
      const input = inputOfCustom(this.#text);
      return [
        { type: 'response.custom_tool_call_input.delta', ...this.#place, delta: input },
        { type: 'response.custom_tool_call_input.done', ...this.#place, input },
      ];
    }
    const missing = this.#text === '' ? this.arguments('{}') : [];
    const whole = { type: 'response.function_call_arguments.done', ...this.#place, name };
    return [...missing, { ...whole, arguments: this.#text }];
  }
}
