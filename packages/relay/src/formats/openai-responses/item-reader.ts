import { garbled } from '../../answer-errors.ts';
import type { AnswerEvent } from '../../conversation.ts';
import type { Lost } from '../../format.ts';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../json.ts';
import { readLogprobs } from '../openai-logprobs.ts';
import { CallReader } from './call-reader.ts';
import { readEncrypted } from './proofs.ts';
import { readAnnotation } from './read-annotation.ts';
import { readVendorCall } from './vendor-calls.ts';

/** What the items of one answer have said so far. */
export interface Said {
  /** UTF-16 code units. */
  textLength: number;
  calls: number;
  isRefused: boolean;
  /** A thought was the last thing said. */
  isThinking: boolean;
  lost: Lost;
}

/** No item has more; each is remembered until the end. */
const PARTS_MAX = 10_000;

type TextKind = 'text' | 'refusal' | 'summary' | 'thought';

const textEvents = new Map<string, TextKind>([
  ['output_text', 'text'],
  ['refusal', 'refusal'],
  ['reasoning_summary_text', 'summary'],
  ['reasoning_text', 'thought'],
]);
const textEvent = /^response\.([a-z_]+)\.(?:delta|done)$/;

interface PartState {
  /** Where it begins in the answer's text. */
  base: number;
  hasText: boolean;
  hasAnnotations: boolean;
}

/** One item of the output, in pieces or whole. */
export class ItemReader {
  readonly #said: Said;
  readonly #parts = new Map<string, PartState>();
  #call: CallReader | undefined;

  constructor(said: Said) {
    this.#said = said;
  }

  read(event: JsonObject): AnswerEvent[] {
    const type = textOf(event['type']) ?? '';
    const kind = textEvents.get(textEvent.exec(type)?.[1] ?? '');
    if (kind !== undefined) return this.#textEvent(kind, event);
    switch (type) {
      case 'response.output_item.added':
        return this.#startCall(objectOf(event['item']));
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#call?.piece(textOf(event['delta']) ?? '') ?? [];
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

  /** What the whole item says that its pieces did not. */
  finish(item: JsonObject): AnswerEvent[] {
    switch (item['type']) {
      case 'message':
        return listOf(item['content']).flatMap((part, index) => this.#wholePart(objectOf(part), index));
      case 'reasoning':
        return this.#wholeThought(item);
      case 'function_call':
      case 'custom_tool_call':
        return [...this.#startCall(item), ...this.finishCall(item)];
      case 'image_generation_call':
        return this.#image(item);
      default:
        return this.#vendorCall(item);
    }
  }

  /** A call whose end never came is over with the response. */
  finishCall(item: JsonObject): AnswerEvent[] {
    return this.#call?.whole(item) ?? [];
  }

  #startCall(item: JsonObject): AnswerEvent[] {
    const isCall = item['type'] === 'function_call' || item['type'] === 'custom_tool_call';
    const name = textOf(item['name']);
    if (!isCall || name === undefined || this.#call !== undefined) return [];
    const said = this.#said;
    const index = said.calls;
    said.calls++;
    said.isThinking = false;
    this.#call = new CallReader(index, item);
    const callId = textOf(item['call_id']) ?? textOf(item['id']) ?? `call_${index}`;
    return [{ type: 'tool-call', index, callId, name }];
  }

  #textEvent(kind: TextKind, event: JsonObject): AnswerEvent[] {
    const index = numberOf(event[kind === 'summary' ? 'summary_index' : 'content_index']) ?? 0;
    const isWhole = event['delta'] === undefined;
    if (isWhole && this.#part(kind, index).hasText) return [];
    const text = isWhole ? event[kind === 'refusal' ? 'refusal' : 'text'] : event['delta'];
    return [...this.#text(kind, index, textOf(text)), ...readLogprobs(event['logprobs'])];
  }

  #text(kind: TextKind, index: number, text: string | undefined): AnswerEvent[] {
    const part = this.#part(kind, index);
    if (text === undefined) return [];
    const said = this.#said;
    const isNext = !part.hasText;
    part.hasText = true;
    if (kind === 'summary' || kind === 'thought') {
      // Parts of thoughts are paragraphs.
      const gap: AnswerEvent[] = isNext && said.isThinking ? [{ type: 'reasoning', text: '\n\n' }] : [];
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
    if (this.#parts.size === PARTS_MAX) throw garbled('The upstream sent an item of too many parts.');
    const part = { base: this.#said.textLength, hasText: false, hasAnnotations: false };
    this.#parts.set(name, part);
    return part;
  }

  #annotations(index: number, annotations: readonly unknown[]): AnswerEvent[] {
    const part = this.#part('text', index);
    part.hasAnnotations = true;
    const { textLength, lost } = this.#said;
    return annotations.flatMap((annotation) => readAnnotation(annotation, part.base, textLength, lost));
  }

  #wholePart(part: JsonObject, index: number): AnswerEvent[] {
    const kind = part['type'] === 'refusal' ? 'refusal' : 'text';
    const { hasText, hasAnnotations } = this.#part(kind, index);
    const missing = hasText
      ? []
      : [...this.#text(kind, index, textOf(part[kind])), ...readLogprobs(part['logprobs'])];
    return hasAnnotations ? missing : [...missing, ...this.#annotations(index, listOf(part['annotations']))];
  }

  #wholeThought(item: JsonObject): AnswerEvent[] {
    const events = [
      ...this.#wholeTexts('summary', item['summary']),
      ...this.#wholeTexts('thought', item['content']),
    ];
    const encrypted = textOf(item['encrypted_content']);
    if (encrypted === undefined) return events;
    this.#said.isThinking = false;
    const proof = readEncrypted(encrypted, textOf(item['id']) ?? '');
    return [...events, { type: 'reasoning-proof', proof }];
  }

  #wholeTexts(kind: 'summary' | 'thought', parts: unknown): AnswerEvent[] {
    return listOf(parts).flatMap((part, index) =>
      this.#part(kind, index).hasText ? [] : this.#text(kind, index, textOf(objectOf(part)['text'])),
    );
  }

  #image(item: JsonObject): AnswerEvent[] {
    const data = textOf(item['result']);
    if (data === undefined) return [];
    this.#said.isThinking = false;
    return [{ type: 'image', mediaType: `image/${textOf(item['output_format']) ?? 'png'}`, data }];
  }

  #vendorCall(item: JsonObject): AnswerEvent[] {
    const call = readVendorCall(item);
    if (call !== undefined) {
      this.#said.isThinking = false;
      return [{ type: 'vendor-call', call }];
    }
    this.#said.lost.add(`output.${textOf(item['type']) ?? 'unknown'}`);
    return [];
  }
}
