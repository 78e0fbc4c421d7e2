import { HELD_BYTES_MAX } from '../../../errors/response-limits.ts';
import { tooLargeError } from '../../../errors/upstream-error.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { Citation, ResponseEvent } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import { encodeSignature, type ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { createId } from '../../../model/task-and-call-ids.ts';
import { writeLogprob } from '../openai-content-audio-logprobs.ts';
import { decodeCustomInput } from '../openai-fields-and-tools.ts';
import { encodeCallSignature, signsCall } from './reasoning-signatures.ts';

/** Part of a message; a non-streaming message combines all of its parts. */
export interface Delta {
  role?: 'assistant';
  content?: string;
  refusal?: string;
  reasoning_content?: string;
  reasoning_details?: ListEntry[];
  annotations?: ListEntry[];
  images?: ListEntry[];
  audio?: { id?: string; data: string };
  tool_calls?: CallDelta[];
}

/** OpenAI's Python client joins the lists of a stream by `index`, and raises an error for entries without one. */
export type ListEntry = Record<string, unknown> & { index: number };

type ListName = 'reasoning_details' | 'annotations' | 'images';

export interface CallDelta {
  index: number;
  id?: string;
  type?: 'function' | 'custom';
  function?: { name?: string; arguments: string };
  custom?: { name?: string; input: string };
  extra_content?: unknown;
}

/** Delta, and the `logprobs` beside it. */
export interface Piece {
  delta: Delta;
  logprobs?: Logprobs;
}

export interface Logprobs {
  content: Record<string, unknown>[];
  refusal: null;
}

/** Converts the events of one choice to pieces of its message. */
export class ChoiceWriter {
  readonly #held = new HeldCalls();
  /** Gemini's reasoning signature for the next call. */
  #callProof: string | undefined;
  #signedThoughts = 0;
  #thought = '';
  /** Current lengths of the lists. */
  readonly #lengths: Record<ListName, number> = { reasoning_details: 0, annotations: 0, images: 0 };
  #hasAudio = false;
  readonly #customTools: ReadonlySet<string>;
  readonly #lost: UnsupportedFields;

  /** @param customTools names of tools with text input instead of JSON arguments */
  constructor(customTools: ReadonlySet<string>, lost: UnsupportedFields) {
    this.#customTools = customTools;
    this.#lost = lost;
  }

  write(event: ResponseEvent): Piece[] {
    const callProof = this.#callProof;
    this.#callProof = undefined;
    switch (event.type) {
      case 'text':
        return [{ delta: { content: event.text } }];
      case 'refusal':
        return [{ delta: { refusal: event.text } }];
      case 'reasoning':
        if (this.#signedThoughts > 0) this.#thought += event.text;
        return [{ delta: { reasoning_content: event.text } }];
      case 'reasoning-proof':
        return [this.#entry('reasoning_details', this.#detail(event.signature))];
      case 'tool-call':
        return this.#startCall(event, encodeCallSignature(callProof));
      case 'tool-arguments':
        if (this.#held.add(event.index, event.text)) return [];
        return [{ delta: { tool_calls: [{ index: event.index, function: { arguments: event.text } }] } }];
      case 'citation':
        return [this.#entry('annotations', encodeAnnotation(event.citation))];
      case 'logprobs': {
        const content = event.tokens.map((token) => writeLogprob(token, null));
        return [{ delta: {}, logprobs: { content, refusal: null } }];
      }
      case 'image': {
        const url = `data:${event.mediaType};base64,${event.data}`;
        return [this.#entry('images', { type: 'image_url', image_url: { url } })];
      }
      case 'audio':
        return [{ delta: { audio: this.#sound(event.data) } }];
      case 'vendor-call':
        this.#lost.add(event.type);
        return [];
      case 'start':
      case 'usage':
      case 'finish':
      default:
        return [];
    }
  }

  /** Returns the inputs of custom tools, which are known when their JSON is complete. */
  rest(): Piece[] {
    return this.#held.take().map(({ index, text }) => {
      const custom = { input: decodeCustomInput(text) };
      return { delta: { tool_calls: [{ index, custom }] } };
    });
  }

  #entry(list: ListName, entry: Record<string, unknown>): Piece {
    const index = this.#lengths[list]++;
    return { delta: { [list]: [{ index, ...entry }] } };
  }

  /** Writes audio; the id is written once, because clients join repeated strings. */
  #sound(data: string): { id?: string; data: string } {
    const isFirst = !this.#hasAudio;
    this.#hasAudio = true;
    return { ...(isFirst && { id: createId('audio_') }), data };
  }

  #startCall(event: Extract<ResponseEvent, { type: 'tool-call' }>, signature: Record<string, unknown>): Piece[] {
    const { index, callId, name } = event;
    if (this.#customTools.has(name)) {
      this.#held.start(index);
      // The index is reserved now: clients append later items.
      const custom = { name, input: '' };
      return [{ delta: { tool_calls: [{ index, id: callId, type: 'custom', custom }] } }];
    }
    const call = { index, id: callId, type: 'function' as const, function: { name, arguments: '' } };
    return [{ delta: { tool_calls: [{ ...call, ...signature }] } }];
  }

  /**
   * Writes a signature to `reasoning_details`, where clients that support OpenRouter keep it. From the second thought
   * on its text is included, because `reasoning_content` doesn't show where it begins.
   */
  #detail(signature: ReasoningSignature): Record<string, unknown> {
    const written = encodeSignature(signature, 'openai-chat');
    if (signature.kind === 'redacted') return { type: 'reasoning.encrypted', data: written };
    if (signsCall(signature)) {
      this.#callProof = signature.value;
      return { type: 'reasoning.text', signature: written };
    }
    const text = this.#thought;
    this.#signedThoughts++;
    this.#thought = '';
    return { type: 'reasoning.text', ...(text !== '' && { text }), signature: written };
  }
}

function encodeAnnotation({ url, title, quote, start, end }: Citation): Record<string, unknown> {
  const content = quote === undefined ? {} : { content: quote };
  const citation = { url: url ?? '', title: title ?? '', start_index: start, end_index: end, ...content };
  return { type: 'url_citation', url_citation: citation };
}

/** Returns the names of the custom tools that a client declared. */
export function customToolNames(request: JsonObject): ReadonlySet<string> {
  return new Set(listOf(request['tools']).flatMap((tool) => textOf(objectOf(objectOf(tool)['custom'])['name']) ?? []));
}

interface HeldCall {
  index: number;
  text: string;
}

/** Calls of custom tools, whose text is known only when their JSON is complete. */
export class HeldCalls {
  readonly #calls = new Map<number, HeldCall>();
  #characters = 0;

  start(index: number): void {
    this.#calls.set(index, { index, text: '' });
  }

  /** @returns whether the arguments belong to such a call */
  add(index: number, text: string): boolean {
    const call = this.#calls.get(index);
    if (call === undefined) return false;
    this.#characters += text.length;
    if (this.#characters > HELD_BYTES_MAX) throw tooLargeError('The upstream sent a tool call that is too large.');
    call.text += text;
    return true;
  }

  take(): HeldCall[] {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    return calls;
  }
}
