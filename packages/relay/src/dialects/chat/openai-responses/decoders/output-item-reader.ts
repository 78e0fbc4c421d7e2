import { tooLargeError } from '../../../../errors/upstream-error.ts';
import { type JsonObject, listOf, numberOf, objectOf, objectsIn, textOf } from '../../../../json/json.ts';
import type { Citation, ResponseEvent } from '../../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import { readLogprobs } from '../../openai-content-audio-logprobs.ts';
import { readVendorCall } from '../hosted-tool-calls.ts';
import { readEncrypted } from '../message-and-reasoning-items.ts';
import { CallReader, readCalledFunction } from './call-reader.ts';

/** State shared by the items of one response. */
export interface DecoderState {
  /** Length in UTF-16 code units. */
  textLength: number;
  calls: number;
  isRefused: boolean;
  /** True if the last content was a thought. */
  isThinking: boolean;
  lost: UnsupportedFields;
}

/** Maximum parts of an item; each is remembered until the end. */
const PARTS_MAX = 10_000;
/** Maximum parts among which one without a valid index is searched; no known item has as many. */
const SEARCHED_MAX = 500;

type TextKind = 'text' | 'refusal' | 'summary' | 'thought';

const textEvents = new Map<string, TextKind>([
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['reasoning_summary_text', 'summary'],
  ['reasoning_text', 'thought'],
]);
const textEvent = /^response\.([a-z_]+)\.(?:delta|done)$/;

interface PartState {
  kind: TextKind;
  index: number;
  /** Length of the part's text so far, in UTF-16 code units. */
  length: number;
  /** True if its `done` event arrived, or the complete item repeated it. */
  isRepeated: boolean;
  /** Position of the part's start in the response's text. */
  base: number;
  hasText: boolean;
  hasAnnotations: boolean;
}

/** Decoder of one output item, in fragments or complete. */
export class ItemReader {
  readonly #said: DecoderState;
  readonly #parts = new Map<string, PartState>();
  /** Parts with text that nothing has repeated. Only these are searched: an item may have ten thousand parts. */
  readonly #unrepeated = new Set<PartState>();
  #call: CallReader | undefined;

  constructor(said: DecoderState) {
    this.#said = said;
  }

  read(event: JsonObject): ResponseEvent[] {
    const type = textOf(event['type']) ?? '';
    const kind = textEvents.get(textEvent.exec(type)?.[1] ?? '');
    if (kind !== undefined) return this.#textEvent(kind, event);
    switch (type) {
      case 'response.output_item.added':
        return this.#startCall(objectOf(event['item']));
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#call?.addPiece(textOf(event['delta']) ?? '') ?? [];
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return this.finishCall(event);
      case 'response.output_text.annotation.added':
        return this.#annotations(numberOf(event['content_index']) ?? 0, [event['annotation']]);
      case 'response.output_item.done':
        return this.finish(objectOf(event['item']));
      default:
        return [];
    }
  }

  /** Returns the events for content of the complete item that its fragments did not contain. */
  finish(item: JsonObject): ResponseEvent[] {
    this.#expectWhole();
    if (readCalledFunction(item) !== undefined) return [...this.#startCall(item), ...this.finishCall(item)];
    switch (item['type']) {
      case 'message':
        return this.#wholeMessage(objectsIn(item['content']));
      case 'reasoning':
        return this.#wholeThought(item);
      case 'image_generation_call':
        return this.#image(item);
      default:
        return this.#vendorCall(item);
    }
  }

  /** Completes a call whose end never arrived, at the end of the response. */
  finishCall(item: JsonObject): ResponseEvent[] {
    return this.#call?.finish(item) ?? [];
  }

  #startCall(item: JsonObject): ResponseEvent[] {
    const called = readCalledFunction(item);
    if (called === undefined || this.#call !== undefined) return [];
    const said = this.#said;
    const index = said.calls;
    said.calls++;
    said.isThinking = false;
    this.#call = new CallReader(index, called.kind);
    const callId = textOf(item['call_id']) ?? textOf(item['id']) ?? createId('call_');
    return [{ type: 'tool-call', index, callId, name: called.name }];
  }

  #textEvent(kind: TextKind, event: JsonObject): ResponseEvent[] {
    const index = numberOf(event[kind === 'summary' ? 'summary_index' : 'content_index']) ?? 0;
    if (event['delta'] !== undefined)
      return [...this.#text(kind, index, textOf(event['delta'])), ...readLogprobs(event['logprobs'])];
    const text = textOf(event[kind === 'refusal' ? 'refusal' : 'text']);
    const streamed = this.#streamedPart(kind, index, text ?? '');
    if (streamed === undefined) return [...this.#text(kind, index, text), ...readLogprobs(event['logprobs'])];
    this.#markRepeated(streamed);
    return [];
  }

  #text(kind: TextKind, index: number, text: string | undefined): ResponseEvent[] {
    const part = this.#part(kind, index);
    if (text === undefined) return [];
    const said = this.#said;
    const isNext = !part.hasText;
    part.hasText = true;
    if (!part.isRepeated) this.#unrepeated.add(part);
    part.length += text.length;
    if (kind === 'summary' || kind === 'thought') {
      // Parts of thoughts are paragraphs.
      const gap: ResponseEvent[] = isNext && said.isThinking ? [{ type: 'reasoning', text: '\n\n' }] : [];
      said.isThinking = true;
      return [...gap, { type: 'reasoning', text }];
    }
    said.isThinking = false;
    if (kind === 'text') said.textLength += text.length;
    else said.isRefused = true;
    return [{ type: kind, text }];
  }

  #part(kind: TextKind, index: number): PartState {
    const name = `${kind} ${index}`;
    const known = this.#parts.get(name);
    if (known !== undefined) return known;
    if (this.#parts.size === PARTS_MAX) throw tooLargeError('The upstream sent an item with too many parts.');
    const base = this.#said.textLength;
    const part = { kind, index, length: 0, isRepeated: false, base, hasText: false, hasAnnotations: false };
    this.#parts.set(name, part);
    return part;
  }

  /**
   * Returns the streamed part that is now repeated in full. Bedrock counts `content_index` across all items of a
   * response, so that an index may be no position in `content`; then the part with the same length, or with an
   * impossible index, is used.
   * @param count number of parts of the complete item, if known
   */
  #streamedPart(kind: TextKind, index: number, text: string, count = Infinity): PartState | undefined {
    const named = this.#parts.get(`${kind} ${index}`);
    if (named?.hasText === true && !named.isRepeated) return named;
    let other: PartState | undefined;
    let searched = 0;
    for (const part of this.#unrepeated) {
      if (++searched > SEARCHED_MAX) break;
      if (part.kind !== kind) continue;
      if (part.length === text.length) return part;
      if (part.index >= count) other ??= part;
    }
    // The end of a part may arrive twice.
    return other ?? (count === Infinity && named?.hasText === true ? named : undefined);
  }

  #markRepeated(part: PartState): void {
    part.isRepeated = true;
    this.#unrepeated.delete(part);
  }

  /** Prepares for a complete item, which may repeat each part once. */
  #expectWhole(): void {
    this.#unrepeated.clear();
    for (const part of this.#parts.values()) {
      part.isRepeated = false;
      if (part.hasText) this.#unrepeated.add(part);
    }
  }

  #annotations(index: number, annotations: readonly unknown[]): ResponseEvent[] {
    const part = this.#part('text', index);
    part.hasAnnotations = true;
    const { textLength, lost } = this.#said;
    return annotations.flatMap((annotation) => readAnnotation(annotation, part.base, textLength, lost));
  }

  #wholeMessage(content: readonly JsonObject[]): ResponseEvent[] {
    return content.flatMap((part, index) => this.#wholePart(part, index, content.length));
  }

  #wholePart(part: JsonObject, place: number, count: number): ResponseEvent[] {
    const kind = part['type'] === 'refusal' ? 'refusal' : 'text';
    const text = textOf(part[kind]);
    const streamed = text === undefined ? undefined : this.#streamedPart(kind, place, text, count);
    const index = streamed?.index ?? place;
    const missing = streamed === undefined ? [...this.#text(kind, index, text), ...readLogprobs(part['logprobs'])] : [];
    const known = this.#part(kind, index);
    this.#markRepeated(known);
    const { hasAnnotations } = known;
    return hasAnnotations ? missing : [...missing, ...this.#annotations(index, listOf(part['annotations']))];
  }

  #wholeThought(item: JsonObject): ResponseEvent[] {
    const events = [...this.#wholeTexts('summary', item['summary']), ...this.#wholeTexts('thought', item['content'])];
    const encrypted = textOf(item['encrypted_content']);
    if (encrypted === undefined) return events;
    this.#said.isThinking = false;
    const signature = readEncrypted(encrypted, textOf(item['id']) ?? '');
    return signature === undefined ? events : [...events, { type: 'reasoning-proof', signature }];
  }

  #wholeTexts(kind: 'summary' | 'thought', parts: unknown): ResponseEvent[] {
    const texts = listOf(parts).map((part) => textOf(objectOf(part)['text']));
    return texts.flatMap((text, place) => {
      if (text === undefined) return [];
      const streamed = this.#streamedPart(kind, place, text, texts.length);
      const missing = streamed === undefined ? this.#text(kind, place, text) : [];
      this.#markRepeated(this.#part(kind, streamed?.index ?? place));
      return missing;
    });
  }

  #image(item: JsonObject): ResponseEvent[] {
    const data = textOf(item['result']);
    if (data === undefined) return [];
    this.#said.isThinking = false;
    return [{ type: 'image', mediaType: `image/${textOf(item['output_format']) ?? 'png'}`, data }];
  }

  #vendorCall(item: JsonObject): ResponseEvent[] {
    const call = readVendorCall(item);
    if (call !== undefined) {
      this.#said.isThinking = false;
      return [{ type: 'vendor-call', call }];
    }
    this.#said.lost.add(`output.${textOf(item['type']) ?? 'unknown'}`);
    return [];
  }
}

/**
 * Reads an annotation.
 * @param base position of the part's start in the response's text
 * @param end current end of the text, the position of annotations without one (xAI)
 */
function readAnnotation(value: unknown, base: number, end: number, lost: UnsupportedFields): ResponseEvent[] {
  const annotation = objectOf(value);
  const citation = readCitation(annotation, base, end);
  if (citation !== undefined) return [{ type: 'citation', citation }];
  lost.add(`annotations.${textOf(annotation['type']) ?? 'unknown'}`);
  return [];
}

function readCitation(annotation: JsonObject, base: number, end: number): Citation | undefined {
  const start = numberOf(annotation['start_index']) ?? numberOf(annotation['index']);
  const stop = numberOf(annotation['end_index']) ?? start;
  const place = { start: start === undefined ? end : base + start, end: stop === undefined ? end : base + stop };
  switch (annotation['type']) {
    case 'url_citation':
      return { url: textOf(annotation['url']), title: textOf(annotation['title']), ...place };
    case 'file_citation':
    case 'container_file_citation':
      return { title: textOf(annotation['filename']), ...place };
    default:
      return undefined;
  }
}
