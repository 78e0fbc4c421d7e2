import type { AnswerEvent, FinishReason } from '../../conversation.ts';
import type { Lost, StreamDecoder } from '../../format.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { OpenaiUsageReport } from '../openai-usage-report.ts';
import { readReasoning, readText } from './read-content.ts';
import { ToolCallTracker } from './tool-call-tracker.ts';

export function createStreamDecoder(_lost: Lost): StreamDecoder {
  return new ChunkDecoder();
}

/** A whole answer is read as a stream of one chunk whose delta is the message. */
export function decodeAnswer(body: unknown, _lost: Lost): AnswerEvent[] {
  const answer = objectOf(body);
  const decoder = new ChunkDecoder();
  const events = decoder.read(answer, 'message');
  return [...events, ...decoder.end(true)];
}

class ChunkDecoder implements StreamDecoder {
  #started = false;
  #reason: string | undefined;
  #sentFinish = false;
  #refused = false;
  readonly #report = new OpenaiUsageReport();
  readonly #toolCalls = new ToolCallTracker();

  push(chunk: JsonObject): AnswerEvent[] {
    return this.read(chunk, 'delta');
  }

  read(chunk: JsonObject, deltaField: 'delta' | 'message'): AnswerEvent[] {
    this.#report.add(chunk);
    const events: AnswerEvent[] = [];
    // Azure's first chunk reports on the prompt and has neither an id nor choices.
    const choice = listOf(chunk['choices'])
      .map(objectOf)
      .find((choice) => (choice['index'] ?? 0) === 0);
    if (choice === undefined) return events;
    if (!this.#started) {
      this.#started = true;
      const id = textOf(chunk['id']) ?? '';
      this.#toolCalls.answerId = id;
      events.push({ type: 'start', id, model: textOf(chunk['model']) ?? '' });
    }
    this.#readDelta(objectOf(choice[deltaField]), events);
    const reason = textOf(choice['finish_reason']);
    if (reason !== undefined && reason !== 'null') this.#reason = reason;
    return events;
  }

  /** Usage comes after the finish reason, so that both wait for the end. */
  end(isMarked: boolean): AnswerEvent[] {
    if (this.#sentFinish || (this.#reason === undefined && !isMarked)) return [];
    this.#sentFinish = true;
    const finish: AnswerEvent = { type: 'finish', reason: this.#finishReason() };
    const { usage } = this.#report;
    return usage === undefined ? [finish] : [{ type: 'usage', usage }, finish];
  }

  #readDelta(delta: JsonObject, events: AnswerEvent[]): void {
    readReasoning(delta, events);
    readText(delta['content'], events);
    const refusal = textOf(delta['refusal']);
    if (refusal !== undefined) {
      this.#refused = true;
      events.push({ type: 'refusal', text: refusal });
    }
    for (const call of listOf(delta['tool_calls'])) this.#toolCalls.read(objectOf(call), events);
    const legacy = delta['function_call'];
    if (isObject(legacy)) this.#toolCalls.read({ index: 0, function: legacy }, events);
  }

  #finishReason(): FinishReason {
    const hasCalls = this.#toolCalls.count > 0;
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
      default:
        // Some vendors say `stop` after tool calls.
        if (hasCalls) return 'tool-calls';
        return this.#refused ? 'refusal' : 'stop';
    }
  }
}
