import { NO_PROOF } from '../../../model/reasoning-signature.ts';
import type { ItemStatus, OutputItem, Place, ResponseEvent } from './encoders/output-item.ts';

/** A thought: its text as a summary, what proves it in `encrypted_content`. */
export class ReasoningItem implements OutputItem {
  readonly kind = 'reasoning';
  readonly #place: Place;
  #text: string | undefined;
  encrypted: string | undefined;

  constructor(place: Place) {
    this.#place = place;
  }

  json(status: ItemStatus): Record<string, unknown> {
    // Without any, a vendor that gets the item back would look for it by its id.
    const encrypted = this.encrypted ?? (status === 'in_progress' ? undefined : NO_PROOF);
    return {
      id: this.#place.item_id,
      type: 'reasoning',
      status,
      summary: this.#text === undefined ? [] : [summaryPart(this.#text)],
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    };
  }

  text(text: string): ResponseEvent[] {
    const opened =
      this.#text === undefined
        ? [this.#event('response.reasoning_summary_part.added', { part: summaryPart('') })]
        : [];
    this.#text = (this.#text ?? '') + text;
    return [...opened, this.#event('response.reasoning_summary_text.delta', { delta: text })];
  }

  close(): ResponseEvent[] {
    const text = this.#text;
    if (text === undefined) return [];
    return [
      this.#event('response.reasoning_summary_text.done', { text }),
      this.#event('response.reasoning_summary_part.done', { part: summaryPart(text) }),
    ];
  }

  #event(type: string, fields: Record<string, unknown>): ResponseEvent {
    return { type, ...this.#place, summary_index: 0, ...fields };
  }
}

function summaryPart(text: string): Record<string, unknown> {
  return { type: 'summary_text', text };
}
