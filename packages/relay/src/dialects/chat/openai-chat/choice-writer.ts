import type { Citation, ResponseEvent } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import { createId } from '../../../model/ids.ts';
import { encodeSignature, type ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { decodeCustomInput } from '../openai-custom-tools.ts';
import { writeLogprob } from '../openai-logprobs.ts';
import { HeldCalls } from './held-calls.ts';
import { encodeCallSignature, signsCall } from './reasoning-signatures.ts';

/** A part of a message, as a stream tells it; a whole message is all of them together. */
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

/** `logprobs` stands beside the delta. */
export interface Piece {
  delta: Delta;
  logprobs?: Logprobs;
}

export interface Logprobs {
  content: Record<string, unknown>[];
  refusal: null;
}

/** Turns the events of one choice into the pieces of its message. */
export class ChoiceWriter {
  readonly #held = new HeldCalls();
  /** Gemini's reasoning signature for the next call. */
  #callProof: string | undefined;
  #signedThoughts = 0;
  #thought = '';
  /** The lengths of the lists so far. */
  readonly #lengths: Record<ListName, number> = { reasoning_details: 0, annotations: 0, images: 0 };
  #hasAudio = false;
  readonly #customTools: ReadonlySet<string>;
  readonly #lost: UnsupportedFields;

  /** @param customTools names of tools whose calls the client reads as text */
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

  /** Returns the inputs of custom tools, which are known when their JSON is whole. */
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

  /** Clients join the texts of repeated members, so that the id is written once. */
  #sound(data: string): { id?: string; data: string } {
    const isFirst = !this.#hasAudio;
    this.#hasAudio = true;
    return { ...(isFirst && { id: createId('audio_') }), data };
  }

  #startCall(event: Extract<ResponseEvent, { type: 'tool-call' }>, signature: Record<string, unknown>): Piece[] {
    const { index, callId, name } = event;
    if (this.#customTools.has(name)) {
      this.#held.start(index);
      // Its place in the list is taken at once: clients insert what comes later behind what is there.
      const custom = { name, input: '' };
      return [{ delta: { tool_calls: [{ index, id: callId, type: 'custom', custom }] } }];
    }
    const call = { index, id: callId, type: 'function' as const, function: { name, arguments: '' } };
    return [{ delta: { tool_calls: [{ ...call, ...signature }] } }];
  }

  /**
   * Proofs of reasoning travel in `reasoning_details`, where clients that know OpenRouter keep them. From the second
   * thought on with its text, because `reasoning_content` does not tell where it begins.
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
