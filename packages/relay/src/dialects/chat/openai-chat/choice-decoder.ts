import { checkItemCount } from '../../../errors/response-limits.ts';
import { tooLargeError } from '../../../errors/upstream-error.ts';
import { hashKey, isObject, type JsonObject, keyOf, listOf, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import type { Citation, FinishReason, ResponseEvent } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import type { ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { createId } from '../../../model/task-and-call-ids.ts';
import { readArguments } from '../../../translate/tool-input.ts';
import { readLogprobs } from '../openai-content-audio-logprobs.ts';
import { readFinishReason } from './finish-reasons.ts';
import { readAnnotations, readAudio, readImages, readText } from './read-content.ts';
import { readCallSignature, readDetailSignature, signsCall } from './reasoning-signatures.ts';

/** Maximum citations of a choice that wait for their text. */
const HELD_MAX = 1_000;
/** Maximum characters of arguments that wait for the name of their function. */
const WAITING_MAX = 1_048_576;

/** Decoder of one choice. */
export class ChoiceDecoder {
  /** Length of the choice's text so far. */
  length = 0;
  hasCitations = false;
  hasEvents = false;
  #reason: string | undefined;
  #refused = false;
  /** Citations whose text has not arrived; the next one to be complete is the last. */
  readonly #held: Citation[] = [];
  readonly #reasoning = new ReasoningReader();
  readonly #toolCalls: ToolCallTracker;
  readonly #index: number;
  readonly #lost: UnsupportedFields;

  constructor(index: number, answerId: string, lost: UnsupportedFields) {
    this.#index = index;
    this.#toolCalls = new ToolCallTracker(index === 0 || answerId === '' ? answerId : `${answerId}_${index}`);
    this.#lost = lost;
  }

  get hasReason(): boolean {
    return this.#reason !== undefined;
  }

  read(choice: JsonObject, deltaField: 'delta' | 'message'): ResponseEvent[] {
    const read: ResponseEvent[] = [];
    this.#readDelta(objectOf(choice[deltaField]), read, deltaField === 'message');
    read.push(...readLogprobs(objectOf(choice['logprobs'])['content']));
    const reason = textOf(choice['finish_reason']);
    if (reason !== undefined && reason !== 'null') this.#reason = reason;
    const events: ResponseEvent[] = [];
    for (const event of read) this.#note(event, events);
    return events;
  }

  /** Returns the held citations, whose text never arrived, as citations of the whole text. */
  heldCitations(): ResponseEvent[] {
    const { length } = this;
    return this.#held
      .splice(0)
      .toReversed()
      .map((citation) => {
        const end = citation.end > citation.start ? Math.min(citation.end, length) : length;
        return this.withChoice({
          type: 'citation',
          citation: { ...citation, start: Math.min(citation.start, end), end },
        });
      });
  }

  finish(): ResponseEvent {
    return this.withChoice({ type: 'finish', reason: this.#finishReason() });
  }

  /** Returns the event with the index of this choice. */
  withChoice(event: ResponseEvent): ResponseEvent {
    return this.#index === 0 ? event : { ...event, choice: this.#index };
  }

  /** Adds an event, and the citations for whose text it was the last that they needed. */
  #note(event: ResponseEvent, events: ResponseEvent[]): void {
    this.hasEvents = true;
    if (event.type === 'text') this.length += event.text.length;
    if (event.type === 'refusal') this.#refused = true;
    if (event.type === 'citation') this.#noteCitation(event.citation, events);
    else {
      events.push(this.withChoice(event));
      this.#takeReady(events);
    }
  }

  #noteCitation(citation: Citation, events: ResponseEvent[]): void {
    this.hasCitations = true;
    if (this.#isReady(citation)) events.push(this.withChoice({ type: 'citation', citation }));
    else if (this.#held.length === HELD_MAX) this.#lost.add('citation');
    else this.#hold(citation);
  }

  /** Adds a citation before those that end at the same place or earlier. */
  #hold(citation: Citation): void {
    const end = endOfRange(citation);
    let [low, high] = [0, this.#held.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#held[middle];
      if (other !== undefined && endOfRange(other) > end) low = middle + 1;
      else high = middle;
    }
    this.#held.splice(low, 0, citation);
  }

  /** Adds the held citations whose text has arrived: OpenRouter sends sources before the text that they support. */
  #takeReady(events: ResponseEvent[]): void {
    for (let next = this.#held.at(-1); next !== undefined && this.#isReady(next); next = this.#held.at(-1)) {
      events.push(this.withChoice({ type: 'citation', citation: next }));
      this.#held.pop();
    }
  }

  #isReady(citation: Citation): boolean {
    return endOfRange(citation) <= this.length;
  }

  #readDelta(delta: JsonObject, events: ResponseEvent[], isWhole: boolean): void {
    this.#reasoning.read(delta, events);
    readText(delta['content'], events);
    const refusal = textOf(delta['refusal']);
    if (refusal !== undefined) events.push({ type: 'refusal', text: refusal });
    readAudio(delta['audio'], events);
    readImages(delta['images'], events, this.#lost);
    readAnnotations(delta['annotations'], events, this.#lost);
    for (const [position, value] of listOf(delta['tool_calls']).entries()) {
      // Each entry of a non-streaming message is a separate call, whatever its id and index.
      const call = isWhole ? { ...objectOf(value), index: position } : objectOf(value);
      // Unexpected: custom tools are sent to every upstream of this dialect as functions.
      if (isCustomCall(call)) {
        this.#lost.add('tool_calls.custom');
        continue;
      }
      this.#reasoning.readCall(call, events);
      this.#toolCalls.read(call, events);
    }
    const legacy = delta['function_call'];
    // Servers written in Go send every field, even empty ones.
    if (isObject(legacy) && hasText(legacy)) this.#toolCalls.read({ index: 0, function: legacy }, events);
  }

  #finishReason(): FinishReason {
    const reason = readFinishReason(this.#reason ?? '');
    if (reason === 'content-filter' && this.#refused) return 'refusal';
    if (reason !== 'stop') return reason;
    // Some vendors report `stop` after tool calls.
    if (this.#toolCalls.count > 0) return 'tool-calls';
    return this.#refused ? 'refusal' : 'stop';
  }
}

/** Returns the end of the text that a citation supports; infinity if it names no text. */
function endOfRange({ start, end }: Citation): number {
  return end > start ? end : Number.POSITIVE_INFINITY;
}

/** Returns whether the call's type is `custom`; servers written in Go also send the other type's field. */
function isCustomCall(call: JsonObject): boolean {
  if (call['type'] === 'custom' || call['type'] === 'function') return call['type'] === 'custom';
  return hasText(objectOf(call['custom'])) && !hasText(objectOf(call['function']));
}

function hasText(fields: JsonObject): boolean {
  return Object.values(fields).some((value) => isObject(value) || textOf(value) !== undefined);
}

/**
 * Reader of reasoning, which OpenAI's own chat dialect lacks; vendors send it as `reasoning_content` (DeepSeek, Qwen,
 * Moonshot, …), `reasoning` (Groq, OpenRouter, vLLM) or `reasoning_details` (OpenRouter, with signatures).
 */
class ReasoningReader {
  /** True if plain reasoning arrived, which the texts in the details then repeat. */
  #isPlain = false;
  #lastCallProof = '';

  read(delta: JsonObject, events: ResponseEvent[]): void {
    const plain = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
    if (plain !== undefined) {
      this.#isPlain = true;
      events.push({ type: 'reasoning', text: plain });
    }
    const details = objectsIn(delta['reasoning_details']);
    if (details.length === 0) return;
    const signedCalls = new Set(
      listOf(delta['tool_calls']).map((call) => hashKey(readCallSignature(objectOf(call))?.value ?? '')),
    );
    for (const detail of details) {
      const text = this.#isPlain ? undefined : (textOf(detail['text']) ?? textOf(detail['summary']));
      if (text !== undefined) events.push({ type: 'reasoning', text });
      const signature = readDetailSignature(detail);
      if (signature === undefined || (signsCall(signature) && signedCalls.has(hashKey(signature.value)))) continue;
      this.#push(signature, events);
    }
  }

  /** Puts the signature of a call before it, unless it was already among the details. */
  readCall(call: JsonObject, events: ResponseEvent[]): void {
    const signature = readCallSignature(call);
    if (signature !== undefined && signature.value !== this.#lastCallProof) this.#push(signature, events);
  }

  #push(signature: ReasoningSignature, events: ResponseEvent[]): void {
    if (signsCall(signature)) this.#lastCallProof = signature.value;
    events.push({ type: 'reasoning-proof', signature });
  }
}

interface OpenCall {
  callId: string;
  /** Undefined until the name arrives. */
  index: number | undefined;
  name: string | undefined;
  /** Arguments that arrived before the name. */
  waiting: string;
  /** True if the arguments so far end like an object. */
  endsObject: boolean;
}

/**
 * Tracker that assigns fragments to parallel tool calls. By the specification `index` identifies a call, and only the
 * first fragment has its id and name. In practice the index is missing (Mistral), always 0 (old Ollama) or starts at
 * 1 (Anthropic's compatible endpoint), and later fragments repeat the id, have another one (Poolside), or have empty ids
 * and names (Qwen, Mistral).
 * A call starts with the first fragment that has its name; without any name it is discarded. Without ids and indexes,
 * another name starts another call, as does an object after an object.
 */
class ToolCallTracker {
  /** Number of calls that have a name. */
  count = 0;
  #begun = 0;
  #heldCharacters = 0;
  readonly #open = new Map<string, OpenCall>();
  #last: OpenCall | undefined;
  readonly #answerId: string;

  /** @param answerId prefix of the ids for vendors that send none */
  constructor(answerId: string) {
    this.#answerId = answerId === '' ? createId('') : answerId;
  }

  read(fragment: JsonObject, events: ResponseEvent[]): void {
    const details = objectOf(fragment['function']);
    const id = keyOf(fragment['id']);
    const name = textOf(details['name']);
    const text = readArguments(details['arguments']);
    const known = this.#find(fragment['index'], id, name);
    const goesOn = known !== undefined && (id !== undefined || !isAnother(known, name, text));
    const call = goesOn ? known : this.#start(fragment['index'], id);
    this.#last = call;
    if (text !== undefined) call.endsObject = text.endsWith('}');
    if (call.index === undefined && name === undefined) {
      this.#wait(call, text ?? '');
      return;
    }
    if (call.index === undefined && name !== undefined) {
      call.index = this.count++;
      call.name = name;
      events.push({ type: 'tool-call', index: call.index, callId: call.callId, name });
    }
    const whole = call.waiting + (text ?? '');
    call.waiting = '';
    if (call.index !== undefined && whole !== '')
      events.push({ type: 'tool-arguments', index: call.index, text: whole });
  }

  #wait(call: OpenCall, text: string): void {
    this.#heldCharacters += text.length;
    if (this.#heldCharacters > WAITING_MAX) throw tooLargeError('The upstream sent a tool call that is too large.');
    call.waiting += text;
  }

  #find(index: unknown, id: string | undefined, name: string | undefined): OpenCall | undefined {
    if (typeof index !== 'number') return id === undefined ? this.#last : this.#open.get(`id ${id}`);
    const call = this.#open.get(`index ${index}`);
    // Without a name, another id starts no call: some vendors send a new id with each fragment.
    return id === undefined || id === call?.callId || name === undefined ? call : undefined;
  }

  #start(upstreamIndex: unknown, id: string | undefined): OpenCall {
    const callId = id ?? `call_${this.#answerId}_${this.#begun}`;
    const call: OpenCall = { index: undefined, callId, name: undefined, waiting: '', endsObject: false };
    this.#begun++;
    checkItemCount(this.#begun);
    if (typeof upstreamIndex === 'number') this.#open.set(`index ${upstreamIndex}`, call);
    if (id !== undefined) this.#open.set(`id ${id}`, call);
    return call;
  }
}

/** Returns whether a fragment without an id starts another call. Some vendors repeat the name. */
function isAnother(known: OpenCall, name: string | undefined, text: string | undefined): boolean {
  if (name === undefined || known.name === undefined) return false;
  return name !== known.name || (known.endsObject && text?.startsWith('{') === true);
}
