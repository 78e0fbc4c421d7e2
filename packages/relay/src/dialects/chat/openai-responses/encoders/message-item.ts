import type { Citation, TokenLogprob } from '../../../../model/conversation.ts';
import { writeLogprob } from '../../openai-logprobs.ts';
import type { ItemStatus, OutputItem, Place, ResponseEvent } from './output-item.ts';

interface ContentPart {
  type: 'output_text' | 'refusal';
  text: string;
  annotations: Record<string, unknown>[];
  logprobs: TokenLogprob[];
}

export class MessageItem implements OutputItem {
  readonly kind = 'message';
  readonly #place: Place;
  /** Position of the message's beginning in the response's text, in UTF-16 code units. */
  readonly #base: number;
  #length = 0;
  readonly #content: ContentPart[] = [];

  constructor(place: Place, base: number) {
    this.#place = place;
    this.#base = base;
  }

  json(status: ItemStatus): Record<string, unknown> {
    return {
      id: this.#place.item_id,
      type: 'message',
      status,
      role: 'assistant',
      content: this.#content.map(partJson),
    };
  }

  text(text: string): ResponseEvent[] {
    const { part, events } = this.#open('output_text');
    part.text += text;
    this.#length += text.length;
    return [...events, this.#event('response.output_text.delta', { delta: text, logprobs: [] })];
  }

  refusal(text: string): ResponseEvent[] {
    const { part, events } = this.#open('refusal');
    part.text += text;
    return [...events, this.#event('response.refusal.delta', { delta: text })];
  }

  /** They come after the text that they are about. */
  logprobs(tokens: readonly TokenLogprob[]): ResponseEvent[] {
    const { part, events } = this.#open('output_text');
    for (const token of tokens) part.logprobs.push(token);
    const logprobs = logprobsJson(tokens);
    return [...events, this.#event('response.output_text.delta', { delta: '', logprobs })];
  }

  citation({ url, title, start, end }: Citation): ResponseEvent[] {
    const { part, events } = this.#open('output_text');
    const base = this.#base + this.#length - part.text.length;
    const within = (offset: number): number => Math.min(part.text.length, Math.max(0, offset - base));
    // A file that only its vendor has is known here by its name.
    const annotation =
      url === undefined
        ? { type: 'file_citation', file_id: title ?? '', filename: title ?? '', index: within(end) }
        : {
            type: 'url_citation',
            url,
            title: title ?? '',
            start_index: within(start),
            end_index: within(end),
          };
    const annotation_index = part.annotations.push(annotation) - 1;
    const told = this.#event('response.output_text.annotation.added', { annotation_index, annotation });
    return [...events, told];
  }

  close(): ResponseEvent[] {
    const part = this.#content.at(-1);
    if (part === undefined) return [];
    const { text } = part;
    const whole =
      part.type === 'refusal'
        ? this.#event('response.refusal.done', { refusal: text })
        : this.#event('response.output_text.done', { text, logprobs: logprobsJson(part.logprobs) });
    return [whole, this.#event('response.content_part.done', { part: partJson(part) })];
  }

  #open(type: ContentPart['type']): { part: ContentPart; events: ResponseEvent[] } {
    const last = this.#content.at(-1);
    if (last?.type === type) return { part: last, events: [] };
    const closed = this.close();
    const part: ContentPart = { type, text: '', annotations: [], logprobs: [] };
    this.#content.push(part);
    const opened = this.#event('response.content_part.added', { part: partJson(part) });
    return { part, events: [...closed, opened] };
  }

  #event(type: string, fields: Record<string, unknown>): ResponseEvent {
    return { type, ...this.#place, content_index: this.#content.length - 1, ...fields };
  }
}

function partJson({ type, text, annotations, logprobs }: ContentPart): Record<string, unknown> {
  if (type === 'refusal') return { type, refusal: text };
  return { type, text, annotations: [...annotations], logprobs: logprobsJson(logprobs) };
}

function logprobsJson(tokens: readonly TokenLogprob[]): Record<string, unknown>[] {
  return tokens.map((token) => writeLogprob(token, []));
}
