import type { ClientRequest } from '../../../model/client-request.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import type { StreamEncoder, UnsupportedFields } from '../../../model/dialect.ts';
import { createId } from '../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../model/usage.ts';
import { groupByChoice } from '../../../translate/response-choices.ts';
import { findResponseEnd, findResponseHead } from '../../../translate/response-head-and-end.ts';
import { writeOpenaiUsage } from '../../openai/openai-usage.ts';
import { isUsageRequested } from '../openai-usage-extractor.ts';
import {
  type CallDelta,
  ChoiceWriter,
  customToolNames,
  type Delta,
  type ListEntry,
  type Logprobs,
  type Piece,
} from './choice-writer.ts';
import { writeFinishReason } from './finish-reasons.ts';

/** First delta of each choice. */
const openingPiece: Piece = { delta: { role: 'assistant', content: '' } };

export function createStreamEncoder({ json }: ClientRequest, lost: UnsupportedFields): StreamEncoder {
  return new ChunkEncoder(isUsageRequested(json), customToolNames(json), lost);
}

class ChunkEncoder implements StreamEncoder {
  #id = '';
  #model = '';
  #head: string | undefined;
  #usage: Usage | undefined;
  readonly #choices = new Map<number, ChoiceWriter>();
  readonly #includeUsage: boolean;
  readonly #customTools: ReadonlySet<string>;
  readonly #lost: UnsupportedFields;

  constructor(includeUsage: boolean, customTools: ReadonlySet<string>, lost: UnsupportedFields) {
    this.#includeUsage = includeUsage;
    this.#customTools = customTools;
    this.#lost = lost;
  }

  push(event: ResponseEvent): string {
    if (event.type === 'start') return this.#start(event.id, event.model);
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    const index = event.choice ?? 0;
    const known = this.#choices.get(index);
    const writer = known ?? this.#begin(index);
    const begun = known === undefined ? this.#choice(index, openingPiece) : '';
    if (event.type !== 'finish') return begun + this.#pieces(index, writer.write(event));
    const rest = this.#pieces(index, writer.rest());
    return begun + rest + this.#choice(index, { delta: {} }, writeFinishReason(event.reason, this.#lost));
  }

  end(): string {
    const usage = this.#includeUsage && this.#usage !== undefined ? this.#chunk([], writeOpenaiUsage(this.#usage)) : '';
    return `${usage}data: [DONE]\n\n`;
  }

  /** Starts the response. Some upstreams start twice; the response keeps its first id. */
  #start(id: string, model: string): string {
    if (this.#id !== '') return '';
    this.#id = id === '' ? createId('chatcmpl-') : id;
    this.#model = model;
    this.#begin(0);
    return this.#choice(0, openingPiece);
  }

  #begin(index: number): ChoiceWriter {
    const writer = new ChoiceWriter(this.#customTools, this.#lost);
    this.#choices.set(index, writer);
    return writer;
  }

  #pieces(index: number, pieces: readonly Piece[]): string {
    let written = '';
    for (const piece of pieces) written += this.#choice(index, piece);
    return written;
  }

  #choice(index: number, { delta, logprobs }: Piece, reason: string | null = null): string {
    return this.#chunk([{ index, delta, logprobs: logprobs ?? null, finish_reason: reason }]);
  }

  #chunk(choices: unknown[], usage: unknown = null): string {
    // The start of the object is the same in each chunk.
    this.#head ??= JSON.stringify({
      id: this.#id,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1000),
      model: this.#model,
    }).slice(0, -1);
    const rest = this.#includeUsage ? `,"usage":${JSON.stringify(usage)}` : '';
    return `data: ${this.#head},"choices":${JSON.stringify(choices)}${rest}}\n\n`;
  }
}

/** Encodes a non-streaming response, which equals the sum of its stream. */
export function encodeResponse(
  events: readonly ResponseEvent[],
  { json }: ClientRequest,
  lost: UnsupportedFields,
): Record<string, unknown> {
  const { id, model, usage } = findResponseHead(events);
  const customTools = customToolNames(json);
  return {
    id: id === '' ? createId('chatcmpl-') : id,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: groupByChoice(events).map(([index, events]) => ({
      index,
      ...buildMessage(events, new ChoiceWriter(customTools, lost)),
      finish_reason: writeFinishReason(findResponseEnd(events).reason, lost),
    })),
    ...(usage !== undefined && { usage: writeOpenaiUsage(usage) }),
  };
}

function buildMessage(events: readonly ResponseEvent[], writer: ChoiceWriter): Record<string, unknown> {
  const whole = new WholeMessage();
  const add = (pieces: readonly Piece[]): void => pieces.forEach((piece) => whole.add(piece));
  for (const event of events) add(writer.write(event));
  add(writer.rest());
  return { message: whole.message, logprobs: whole.logprobs };
}

/** Accumulator of the pieces of a message. */
class WholeMessage {
  logprobs: Logprobs | null = null;
  #content = '';
  #refusal = '';
  #reasoning = '';
  readonly #details: unknown[] = [];
  readonly #annotations: unknown[] = [];
  readonly #images: unknown[] = [];
  readonly #audio: Buffer[] = [];
  #audioId: string | undefined;
  readonly #calls = new Map<number, CallDelta>();

  add({ delta, logprobs }: Piece): void {
    this.#content += delta.content ?? '';
    this.#refusal += delta.refusal ?? '';
    this.#reasoning += delta.reasoning_content ?? '';
    this.#details.push(...stripIndexes(delta.reasoning_details));
    this.#annotations.push(...stripIndexes(delta.annotations));
    this.#images.push(...stripIndexes(delta.images));
    this.#audioId ??= delta.audio?.id;
    if (delta.audio !== undefined) this.#audio.push(Buffer.from(delta.audio.data, 'base64'));
    for (const call of delta.tool_calls ?? []) this.#addCall(call);
    if (logprobs === undefined) return;
    this.logprobs ??= { content: [], refusal: null };
    for (const token of logprobs.content) this.logprobs.content.push(token);
  }

  get message(): Record<string, unknown> {
    const calls = [...this.#calls.values()].toSorted((one, other) => one.index - other.index);
    const isSilent = this.#content === '' && (calls.length > 0 || this.#refusal !== '' || this.#isHeard);
    return {
      role: 'assistant' satisfies Delta['role'],
      content: isSilent ? null : this.#content,
      refusal: this.#refusal === '' ? null : this.#refusal,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(this.#details.length > 0 && { reasoning_details: this.#details }),
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
      ...(this.#images.length > 0 && { images: this.#images }),
      ...(this.#isHeard && { audio: this.#sound }),
      ...(calls.length > 0 && { tool_calls: calls.map(stripCallIndex) }),
    };
  }

  get #isHeard(): boolean {
    return this.#audio.length > 0;
  }

  /**
   * Returns the audio. Fragments of base64 cannot be joined as text. The text is in the content; nothing is stored
   * under the id.
   */
  get #sound(): Record<string, unknown> {
    const data = Buffer.concat(this.#audio).toString('base64');
    return { id: this.#audioId ?? createId('audio_'), data, expires_at: 0, transcript: '' };
  }

  #addCall(call: CallDelta): void {
    const known = this.#calls.get(call.index);
    if (known === undefined) this.#calls.set(call.index, structuredClone(call));
    else if (known.function !== undefined) known.function.arguments += call.function?.arguments ?? '';
    else if (known.custom !== undefined) known.custom.input += call.custom?.input ?? '';
  }
}

/** Removes the indexes, which a non-streaming message expresses by position. */
function stripIndexes(entries: readonly ListEntry[] = []): Record<string, unknown>[] {
  return entries.map(({ index: _index, ...entry }) => entry);
}

function stripCallIndex({ index: _index, ...call }: CallDelta): unknown {
  if (call.function === undefined) return call;
  const { arguments: text } = call.function;
  return { ...call, function: { ...call.function, arguments: text === '' ? '{}' : text } };
}
