import type { AnswerEvent, FinishReason } from '../../conversation.ts';
import type { Lost } from '../../format.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { readLogprobs } from '../openai-logprobs.ts';
import { readText } from './read-content.ts';
import { readAnnotations, readAudio, readImages } from './read-extras.ts';
import { ReasoningReader } from './reasoning-reader.ts';
import { ToolCallTracker } from './tool-call-tracker.ts';

/** One of an answer's choices. */
export class ChoiceDecoder {
  /** Length of its text so far. */
  length = 0;
  hasCitations = false;
  #reason: string | undefined;
  #refused = false;
  readonly #reasoning = new ReasoningReader();
  readonly #toolCalls: ToolCallTracker;
  readonly #index: number;
  readonly #lost: Lost;

  constructor(index: number, answerId: string, lost: Lost) {
    this.#index = index;
    this.#toolCalls = new ToolCallTracker(answerId);
    this.#lost = lost;
  }

  get hasReason(): boolean {
    return this.#reason !== undefined;
  }

  read(choice: JsonObject, deltaField: 'delta' | 'message'): AnswerEvent[] {
    const events: AnswerEvent[] = [];
    this.#readDelta(objectOf(choice[deltaField]), events);
    events.push(...readLogprobs(objectOf(choice['logprobs'])['content']));
    const reason = textOf(choice['finish_reason']);
    if (reason !== undefined && reason !== 'null') this.#reason = reason;
    return events.map((event) => this.#note(event));
  }

  finish(): AnswerEvent {
    return this.of({ type: 'finish', reason: this.#finishReason() });
  }

  /** The event as one of this choice. */
  of(event: AnswerEvent): AnswerEvent {
    return this.#index === 0 ? event : { ...event, choice: this.#index };
  }

  #note(event: AnswerEvent): AnswerEvent {
    if (event.type === 'text') this.length += event.text.length;
    if (event.type === 'refusal') this.#refused = true;
    if (event.type === 'citation') this.hasCitations = true;
    return this.of(event);
  }

  #readDelta(delta: JsonObject, events: AnswerEvent[]): void {
    this.#reasoning.read(delta, events);
    readText(delta['content'], events);
    const refusal = textOf(delta['refusal']);
    if (refusal !== undefined) events.push({ type: 'refusal', text: refusal });
    readAudio(delta['audio'], events);
    readImages(delta['images'], events, this.#lost);
    readAnnotations(delta['annotations'], events, this.#lost);
    for (const value of listOf(delta['tool_calls'])) {
      const call = objectOf(value);
      // Nobody was asked for one: to this dialect's upstreams custom tools go as functions.
      if (call['custom'] !== undefined) {
        this.#lost.add('tool_calls.custom');
        continue;
      }
      this.#reasoning.readCall(call, events);
      this.#toolCalls.read(call, events);
    }
    const legacy = delta['function_call'];
    if (isObject(legacy)) this.#toolCalls.read({ index: 0, function: legacy }, events);
  }

  /** What else vendors write means `stop`, as `eos` does at Together. */
  #finishReason(): FinishReason {
    switch (this.#reason ?? '') {
      case 'length':
      case 'model_length':
        return 'length';
      case 'content_filter':
      case 'sensitive':
        return this.#refused ? 'refusal' : 'content-filter';
      case 'tool_calls':
      case 'function_call':
        return 'tool-calls';
      // Google's endpoint, and gateways in front of it.
      case 'malformed_function_call':
        return 'malformed-call';
      // DeepSeek and Zhipu: the machine failed.
      case 'insufficient_system_resource':
      case 'network_error':
        return 'other';
      default:
        // Some vendors say `stop` after tool calls.
        if (this.#toolCalls.count > 0) return 'tool-calls';
        return this.#refused ? 'refusal' : 'stop';
    }
  }
}
