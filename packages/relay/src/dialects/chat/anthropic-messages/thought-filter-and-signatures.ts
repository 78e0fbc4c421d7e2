import { HELD_BYTES_MAX } from '../../../errors/response-limits.ts';
import { type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import { decodeSignature, type ReasoningSignature, type SignatureLabel } from '../../../model/reasoning-signature.ts';

type Thought = Extract<ResponseEvent, { type: 'reasoning' | 'reasoning-proof' }>;

/**
 * Filter that removes thoughts that a client of this dialect doesn't expect: unrequested ones, because the client
 * takes the first block for the response, and thoughts after the text. Thoughts between the text and a tool call are
 * kept, because the vendor may require their signature with the call.
 */
export class ThoughtFilter {
  readonly #isAsked: boolean;
  readonly #lost: UnsupportedFields;
  #hasText = false;
  readonly #held: Thought[] = [];
  #heldLength = 0;

  /** @param request client's request */
  constructor(request: JsonObject, lost: UnsupportedFields) {
    const { type } = objectOf(request['thinking']);
    this.#isAsked = type === 'enabled' || type === 'adaptive';
    this.#lost = lost;
  }

  /** Returns the events to write for the next event of the response. */
  push(event: ResponseEvent): ResponseEvent[] {
    if (event.type === 'reasoning' || event.type === 'reasoning-proof') return this.#thought(event);
    if (event.type === 'tool-call') return [...this.#held.splice(0), event];
    const isText = event.type === 'text' || event.type === 'refusal';
    this.#hasText ||= isText;
    if (isText || event.type === 'finish') this.#dropHeld();
    return [event];
  }

  #thought(event: Thought): ResponseEvent[] {
    if (!this.#isAsked) return [];
    if (!this.#hasText) return [event];
    this.#heldLength += event.type === 'reasoning' ? event.text.length : event.signature.value.length;
    if (this.#heldLength <= HELD_BYTES_MAX) this.#held.push(event);
    else this.#lost.add('reasoning');
    return [];
  }

  #dropHeld(): void {
    if (this.#held.length === 0) return;
    this.#held.length = 0;
    this.#lost.add('reasoning');
  }
}

/** Label of Anthropic's reasoning signatures that carry no label of their own. */
const signed: SignatureLabel = { origin: 'anthropic-messages', kind: 'signature' };
const redacted: SignatureLabel = { origin: 'anthropic-messages', kind: 'redacted' };

/** Reads the reasoning signature of a `thinking` block, or of a piece of one. */
export function readSignature(block: JsonObject): ReasoningSignature | undefined {
  return readLabeledSignature(block['signature'], signed);
}

/** Reads the reasoning signature of a `redacted_thinking` block. */
export function readRedacted(block: JsonObject): ReasoningSignature | undefined {
  return readLabeledSignature(block['data'], redacted);
}

function readLabeledSignature(value: unknown, own: SignatureLabel): ReasoningSignature | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : decodeSignature(text, own);
}
