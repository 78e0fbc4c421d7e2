import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent, Citation, FinishReason } from '../../../model/conversation.ts';
import type { Lost } from '../../../model/format.ts';
import { readLogprobs } from '../openai-logprobs.ts';
import { readFinishReason } from './finish-reasons.ts';
import { readText } from './read-content.ts';
import { readAnnotations, readAudio, readImages } from './read-extras.ts';
import { ReasoningReader } from './reasoning-reader.ts';
import { ToolCallTracker } from './tool-call-tracker.ts';

/** Far more sources than an answer rests on. */
const HELD_MAX = 10_000;

/** One of an answer's choices. */
export class ChoiceDecoder {
  /** Length of its text so far. */
  length = 0;
  hasCitations = false;
  hasEvents = false;
  #reason: string | undefined;
  #refused = false;
  #held: Citation[] = [];
  readonly #reasoning = new ReasoningReader();
  readonly #toolCalls: ToolCallTracker;
  readonly #index: number;
  readonly #lost: Lost;

  constructor(index: number, answerId: string, lost: Lost) {
    this.#index = index;
    this.#toolCalls = new ToolCallTracker(index === 0 || answerId === '' ? answerId : `${answerId}_${index}`);
    this.#lost = lost;
  }

  get hasReason(): boolean {
    return this.#reason !== undefined;
  }

  read(choice: JsonObject, deltaField: 'delta' | 'message'): AnswerEvent[] {
    const events: AnswerEvent[] = [];
    this.#readDelta(objectOf(choice[deltaField]), events, deltaField === 'message');
    events.push(...readLogprobs(objectOf(choice['logprobs'])['content']));
    const reason = textOf(choice['finish_reason']);
    if (reason !== undefined && reason !== 'null') this.#reason = reason;
    return events.flatMap((event) => this.#note(event));
  }

  /** Returns the citations of a text that has not come, as if they were of all that has. */
  heldCitations(): AnswerEvent[] {
    const { length } = this;
    return this.#held.splice(0).map((citation) => {
      const end = citation.end > citation.start ? Math.min(citation.end, length) : length;
      return this.of({
        type: 'citation',
        citation: { ...citation, start: Math.min(citation.start, end), end },
      });
    });
  }

  finish(): AnswerEvent {
    return this.of({ type: 'finish', reason: this.#finishReason() });
  }

  /** The event as one of this choice. */
  of(event: AnswerEvent): AnswerEvent {
    return this.#index === 0 ? event : { ...event, choice: this.#index };
  }

  #note(event: AnswerEvent): AnswerEvent[] {
    this.hasEvents = true;
    if (event.type === 'text') this.length += event.text.length;
    if (event.type === 'refusal') this.#refused = true;
    if (event.type !== 'citation') return [this.of(event), ...this.#ready()];
    this.hasCitations = true;
    if (this.#held.length < HELD_MAX) this.#held.push(event.citation);
    else this.#lost.add('citation');
    return this.#ready();
  }

  /** OpenRouter names its sources before the text that rests on them; they are told behind it. */
  #ready(): AnswerEvent[] {
    if (this.#held.length === 0) return [];
    const isReady = ({ start, end }: Citation): boolean => end > start && end <= this.length;
    const ready = this.#held.filter(isReady);
    this.#held = this.#held.filter((citation) => !isReady(citation));
    return ready.map((citation) => this.of({ type: 'citation', citation }));
  }

  #readDelta(delta: JsonObject, events: AnswerEvent[], isWhole: boolean): void {
    this.#reasoning.read(delta, events);
    readText(delta['content'], events);
    const refusal = textOf(delta['refusal']);
    if (refusal !== undefined) events.push({ type: 'refusal', text: refusal });
    readAudio(delta['audio'], events);
    readImages(delta['images'], events, this.#lost);
    readAnnotations(delta['annotations'], events, this.#lost);
    for (const [position, value] of listOf(delta['tool_calls']).entries()) {
      // Each entry of a whole message is a call, whatever its id and index.
      const call = isWhole ? { ...objectOf(value), index: position } : objectOf(value);
      // No upstream of this dialect is asked for one: custom tools are sent as functions.
      if (isCustomCall(call)) {
        this.#lost.add('tool_calls.custom');
        continue;
      }
      this.#reasoning.readCall(call, events);
      this.#toolCalls.read(call, events);
    }
    const legacy = delta['function_call'];
    // Servers written in Go name every field, with nothing in it.
    if (isObject(legacy) && hasText(legacy)) this.#toolCalls.read({ index: 0, function: legacy }, events);
  }

  #finishReason(): FinishReason {
    const reason = readFinishReason(this.#reason ?? '');
    if (reason === 'content-filter' && this.#refused) return 'refusal';
    if (reason !== 'stop') return reason;
    // Some vendors say `stop` after tool calls.
    if (this.#toolCalls.count > 0) return 'tool-calls';
    return this.#refused ? 'refusal' : 'stop';
  }
}

/** Its type says which kind of call it is; servers written in Go write the other kind's field as well. */
function isCustomCall(call: JsonObject): boolean {
  if (call['type'] === 'custom' || call['type'] === 'function') return call['type'] === 'custom';
  return hasText(objectOf(call['custom'])) && !hasText(objectOf(call['function']));
}

function hasText(fields: JsonObject): boolean {
  return Object.values(fields).some((value) => isObject(value) || textOf(value) !== undefined);
}
