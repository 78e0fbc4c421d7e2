import {
  decodeSignature,
  encodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
  UNSIGNED_THOUGHT,
} from '../../../model/reasoning-signature.ts';
import type { ItemPosition, ItemStatus, OutputEvent, OutputItem } from './response-object.ts';

/** Thought: its text is a summary, its signature is `encrypted_content`. */
export class ReasoningItem implements OutputItem {
  readonly kind = 'reasoning';
  readonly #place: ItemPosition;
  #text: string | undefined;
  encrypted: string | undefined;

  constructor(place: ItemPosition) {
    this.#place = place;
  }

  json(status: ItemStatus): Record<string, unknown> {
    // Without a signature, a vendor that receives the item would look for it by its id.
    const encrypted = this.encrypted ?? (status === 'in_progress' ? undefined : UNSIGNED_THOUGHT);
    return {
      id: this.#place.item_id,
      type: 'reasoning',
      status,
      summary: this.#text === undefined ? [] : [summaryPart(this.#text)],
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
    };
  }

  text(text: string): OutputEvent[] {
    const opened =
      this.#text === undefined ? [this.#event('response.reasoning_summary_part.added', { part: summaryPart('') })] : [];
    this.#text = (this.#text ?? '') + text;
    return [...opened, this.#event('response.reasoning_summary_text.delta', { delta: text })];
  }

  close(): OutputEvent[] {
    const text = this.#text;
    if (text === undefined) return [];
    return [
      this.#event('response.reasoning_summary_text.done', { text }),
      this.#event('response.reasoning_summary_part.done', { part: summaryPart(text) }),
    ];
  }

  #event(type: string, fields: Record<string, unknown>): OutputEvent {
    return { type, ...this.#place, summary_index: 0, ...fields };
  }
}

function summaryPart(text: string): Record<string, unknown> {
  return { type: 'summary_text', text };
}

const ORIGIN = 'openai-responses';
const own: SignatureLabel = { origin: ORIGIN, kind: 'signature' };

/**
 * Reads a signature. The vendor requires a thought as the original item, so that the item's id is part of the
 * signature.
 */
export function readEncrypted(encrypted: string, itemId: string): ReasoningSignature | undefined {
  const signature = decodeSignature(encrypted, own);
  return signature?.origin === ORIGIN ? { ...signature, value: `${itemId}|${signature.value}` } : signature;
}

interface EncryptedThought {
  /** Absent if another vendor created the signature. */
  itemId?: string;
  encrypted: string;
}

/** Writes a reasoning signature for `encrypted_content`. */
export function writeEncrypted(signature: ReasoningSignature): EncryptedThought {
  if (signature.origin !== ORIGIN) return { encrypted: encodeSignature(signature, ORIGIN) };
  const bar = signature.value.indexOf('|');
  return { itemId: signature.value.slice(0, Math.max(0, bar)), encrypted: signature.value.slice(bar + 1) };
}
