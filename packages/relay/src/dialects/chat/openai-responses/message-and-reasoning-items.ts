import { checkItemCount } from '../../../errors/response-limits.ts';
import type { Citation, TokenLogprob } from '../../../model/conversation.ts';
import {
  decodeSignature,
  encodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
  UNSIGNED_THOUGHT,
} from '../../../model/reasoning-signature.ts';
import { writeLogprob } from '../openai-content-audio-logprobs.ts';
import type { ItemPosition, ItemStatus, OutputEvent, OutputItem } from './response-object-and-items.ts';

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

interface ContentPart {
  type: 'output_text' | 'refusal';
  text: string;
  annotations: Record<string, unknown>[];
  logprobs: TokenLogprob[];
}

export class MessageItem implements OutputItem {
  readonly kind = 'message';
  readonly #place: ItemPosition;
  /** Position of the message's start in the response's text, in UTF-16 code units. */
  readonly #base: number;
  #length = 0;
  readonly #content: ContentPart[] = [];

  constructor(place: ItemPosition, base: number) {
    this.#place = place;
    this.#base = base;
  }

  json(status: ItemStatus): Record<string, unknown> {
    return {
      id: this.#place.item_id,
      type: 'message',
      status,
      role: 'assistant',
      content: this.#content.map(encodeContentPart),
    };
  }

  text(text: string): OutputEvent[] {
    const { part, events } = this.#open('output_text');
    part.text += text;
    this.#length += text.length;
    return [...events, this.#event('response.output_text.delta', { delta: text, logprobs: [] })];
  }

  refusal(text: string): OutputEvent[] {
    const { part, events } = this.#open('refusal');
    part.text += text;
    return [...events, this.#event('response.refusal.delta', { delta: text })];
  }

  /** Adds log probabilities, which follow their text. */
  logprobs(tokens: readonly TokenLogprob[]): OutputEvent[] {
    const { part, events } = this.#open('output_text');
    for (const token of tokens) part.logprobs.push(token);
    const logprobs = encodeLogprobs(tokens);
    return [...events, this.#event('response.output_text.delta', { delta: '', logprobs })];
  }

  citation({ url, title, start, end }: Citation): OutputEvent[] {
    const { part, events } = this.#open('output_text');
    const base = this.#base + this.#length - part.text.length;
    const within = (offset: number): number => Math.min(part.text.length, Math.max(0, offset - base));
    // A file without a URL is cited by its name.
    const annotation =
      url === undefined
        ? { type: 'file_citation', file_id: title ?? '', filename: title ?? '', index: within(end) }
        : { type: 'url_citation', url, title: title ?? '', start_index: within(start), end_index: within(end) };
    const annotation_index = part.annotations.push(annotation) - 1;
    const told = this.#event('response.output_text.annotation.added', { annotation_index, annotation });
    return [...events, told];
  }

  close(): OutputEvent[] {
    const part = this.#content.at(-1);
    if (part === undefined) return [];
    const { text } = part;
    const whole =
      part.type === 'refusal'
        ? this.#event('response.refusal.done', { refusal: text })
        : this.#event('response.output_text.done', { text, logprobs: encodeLogprobs(part.logprobs) });
    return [whole, this.#event('response.content_part.done', { part: encodeContentPart(part) })];
  }

  #open(type: ContentPart['type']): { part: ContentPart; events: OutputEvent[] } {
    const last = this.#content.at(-1);
    if (last?.type === type) return { part: last, events: [] };
    const closed = this.close();
    const part: ContentPart = { type, text: '', annotations: [], logprobs: [] };
    checkItemCount(this.#content.push(part));
    const opened = this.#event('response.content_part.added', { part: encodeContentPart(part) });
    return { part, events: [...closed, opened] };
  }

  #event(type: string, fields: Record<string, unknown>): OutputEvent {
    return { type, ...this.#place, content_index: this.#content.length - 1, ...fields };
  }
}

function encodeContentPart({ type, text, annotations, logprobs }: ContentPart): Record<string, unknown> {
  if (type === 'refusal') return { type, refusal: text };
  return { type, text, annotations: [...annotations], logprobs: encodeLogprobs(logprobs) };
}

function encodeLogprobs(tokens: readonly TokenLogprob[]): Record<string, unknown>[] {
  return tokens.map((token) => writeLogprob(token, []));
}
