/** The items of an answer while they are written: each tells the events by which a client builds the same. */
import type { Citation, TokenLogprob } from '../../conversation.ts';
import { objectOf, parseJson, textOf } from '../../json.ts';

export interface ResponseEvent extends Record<string, unknown> {
  type: string;
}

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

interface Place extends Record<string, unknown> {
  item_id: string;
  output_index: number;
}

export interface OutputItem {
  readonly kind: 'message' | 'reasoning' | 'call';
  /** The item as it is so far. */
  json(status: ItemStatus): Record<string, unknown>;
  /** What is still to be told before the item is done. */
  close(): ResponseEvent[];
}

export function added(outputIndex: number, item: Record<string, unknown>): ResponseEvent {
  return { type: 'response.output_item.added', output_index: outputIndex, item };
}

export function done(outputIndex: number, item: Record<string, unknown>): ResponseEvent {
  return { type: 'response.output_item.done', output_index: outputIndex, item };
}

interface ContentPart {
  type: 'output_text' | 'refusal';
  text: string;
  annotations: Record<string, unknown>[];
  logprobs: TokenLogprob[];
}

export class MessageItem implements OutputItem {
  readonly kind = 'message';
  readonly #place: Place;
  /** Where the message begins in the answer's text, UTF-16 code units. */
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
    const logprobs = tokens.map(logprobJson);
    return [...events, this.#event('response.output_text.delta', { delta: '', logprobs })];
  }

  citation({ url, title, start, end }: Citation): ResponseEvent[] {
    const { part, events } = this.#open('output_text');
    const base = this.#base + this.#length - part.text.length;
    const within = (offset: number): number => Math.min(part.text.length, Math.max(0, offset - base));
    const annotation = {
      type: 'url_citation',
      url: url ?? '',
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
        : this.#event('response.output_text.done', { text, logprobs: part.logprobs.map(logprobJson) });
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
  return { type, text, annotations: [...annotations], logprobs: logprobs.map(logprobJson) };
}

function logprobJson({ token, logprob, bytes, top }: TokenLogprob): Record<string, unknown> {
  const top_logprobs = top.map((other) => ({ ...other, bytes: other.bytes ?? [] }));
  return { token, logprob, bytes: bytes ?? [], top_logprobs };
}

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
    return {
      id: this.#place.item_id,
      type: 'reasoning',
      status,
      summary: this.#text === undefined ? [] : [summaryPart(this.#text)],
      ...(this.encrypted !== undefined && { encrypted_content: this.encrypted }),
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
      ...(isCustom ? { input: inputOf(this.#text) } : { arguments: this.#text }),
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
      const input = inputOf(this.#text);
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

/** What a model wrote instead of the argument that was asked for is the input, as it stands. */
function inputOf(text: string): string {
  return textOf(objectOf(parseJson(text))['input']) ?? text;
}
