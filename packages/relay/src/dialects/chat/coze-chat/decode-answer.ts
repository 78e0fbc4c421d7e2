import { UpstreamError } from '../../../errors/upstream-error.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import type { Lost, StreamDecoder } from '../../../model/format.ts';
import { emptyUsage, tokenCount, type Usage } from '../../../model/usage.ts';

export function createStreamDecoder(lost: Lost): StreamDecoder {
  return new CozeDecoder(lost);
}

/** Kinds of messages that no client misses: what the agent did on its way, and that it is about to end. */
const silent: ReadonlySet<unknown> = new Set(['verbose', 'function_call', 'tool_output', 'tool_response']);

/** The name of an event is not in its data. https://www.coze.com/docs/developer_guides/chat_v3#streaming-response */
class CozeDecoder implements StreamDecoder {
  usage: Usage | undefined;
  #isStarted = false;
  /** The message whose pieces came; it comes as a whole when it is complete. */
  #pieced: string | undefined;
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  push(event: JsonObject, name = ''): AnswerEvent[] {
    switch (name) {
      case 'conversation.message.delta':
        this.#pieced = textOf(event['id']);
        return [...this.#start(event), ...this.#message(event)];
      case 'conversation.message.completed':
        return this.#completed(event);
      case 'conversation.chat.completed':
        return [...this.#start(event), ...this.#report(event), { type: 'finish', reason: 'stop' }];
      // The agent waits for what a tool of the client's says, which cannot be handed to it here.
      case 'conversation.chat.requires_action':
        this.#lost.add('required_action');
        return [...this.#start(event), ...this.#report(event), { type: 'finish', reason: 'other' }];
      case 'conversation.chat.failed':
        this.#report(event);
        throw failure(objectOf(event['last_error']));
      default:
        return [];
    }
  }

  /** The end has been told. */
  end(): AnswerEvent[] {
    return [];
  }

  #report({ usage }: JsonObject): AnswerEvent[] {
    if (!isObject(usage)) return [];
    const input = tokenCount(usage['input_count']);
    const output = tokenCount(usage['output_count']);
    this.usage = { ...emptyUsage(), input, output };
    return [{ type: 'usage', usage: this.usage }];
  }

  #completed(event: JsonObject): AnswerEvent[] {
    if (event['type'] === 'answer' && this.#pieced !== textOf(event['id']))
      return [...this.#start(event), ...this.#message(event)];
    if (event['type'] !== 'answer' && !silent.has(event['type']))
      this.#lost.add(`messages.${String(event['type'])}`);
    return [];
  }

  #start(event: JsonObject): AnswerEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ type: 'start', id: textOf(event['chat_id']) ?? textOf(event['id']) ?? '', model: '' }];
  }

  #message({ type, content, content_type, reasoning_content }: JsonObject): AnswerEvent[] {
    if (type !== 'answer') return [];
    const thought = textOf(reasoning_content);
    const text = textOf(content);
    if ((content_type ?? 'text') !== 'text') this.#lost.add('content_type');
    return [
      ...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]),
      ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ];
  }
}

function failure({ code }: JsonObject): UpstreamError {
  return new UpstreamError('overloaded', 'The agent failed during its response.', {
    status: 200,
    code: typeof code === 'number' ? String(code) : textOf(code),
  });
}
