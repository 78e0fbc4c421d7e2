import { UpstreamError } from '../../../errors/upstream-error.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import type { Conversation, EncodeOptions, ResponseEvent, Turn } from '../../../model/conversation.ts';
import {
  type StreamDecoder,
  toNonStreamingResponse,
  type UnsupportedFields,
  type UpstreamDialect,
} from '../../../model/dialect.ts';
import { startEvent } from '../../../model/task-and-call-ids.ts';
import { emptyUsage, toTokenCount, type Usage } from '../../../model/usage.ts';
import { addTurn, convertSystemTurns } from '../../../translate/turns-and-instructions.ts';
import { dropAllSettings, listImageUrls, resolveUserId, textOfTurn } from '../agent-app-encoding.ts';

function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new CozeDecoder(lost);
}

/** Types of messages without content for clients: the agent's steps, and the announcement of its end. */
const ignoredTypes: ReadonlySet<unknown> = new Set(['verbose', 'function_call', 'tool_output', 'tool_response']);

/**
 * Decoder of a stream whose events are named outside their data.
 * https://www.coze.com/docs/developer_guides/chat_v3#streaming-response
 */
class CozeDecoder implements StreamDecoder {
  usage: Usage | undefined;
  #isStarted = false;
  /** Message that arrived in fragments; it is repeated in full when it is complete. */
  #pieced: string | undefined;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  push(event: JsonObject, name = ''): ResponseEvent[] {
    switch (name) {
      case 'conversation.message.delta':
        this.#pieced = textOf(event['id']);
        return [...this.#start(event), ...this.#message(event)];
      case 'conversation.message.completed':
        return this.#completed(event);
      case 'conversation.chat.completed':
        return [...this.#start(event), ...this.#report(event), { type: 'finish', reason: 'stop' }];
      // The agent waits for a client tool's result, which this API cannot take.
      case 'conversation.chat.requires_action':
        this.#lost.add('required_action');
        return [...this.#start(event), ...this.#report(event), { type: 'finish', reason: 'other' }];
      case 'conversation.chat.failed':
        this.#report(event);
        throw createError(objectOf(event['last_error']));
      default:
        return [];
    }
  }

  /** True after the finish event. */
  end(): ResponseEvent[] {
    return [];
  }

  #report({ usage }: JsonObject): ResponseEvent[] {
    if (!isObject(usage)) return [];
    const input = toTokenCount(usage['input_count']);
    const output = toTokenCount(usage['output_count']);
    this.usage = { ...emptyUsage(), input, output };
    return [{ type: 'usage', usage: this.usage }];
  }

  #completed(event: JsonObject): ResponseEvent[] {
    if (event['type'] === 'answer' && this.#pieced !== textOf(event['id']))
      return [...this.#start(event), ...this.#message(event)];
    if (event['type'] !== 'answer' && !ignoredTypes.has(event['type']))
      this.#lost.add(`messages.${textOf(event['type'])}`);
    return [];
  }

  #start(event: JsonObject): ResponseEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [startEvent(textOf(event['chat_id']) ?? event['id'])];
  }

  #message({ type, content, content_type, reasoning_content }: JsonObject): ResponseEvent[] {
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

function createError({ code }: JsonObject): UpstreamError {
  return new UpstreamError('overloaded', 'The agent failed during its response.', {
    status: 200,
    code: typeof code === 'number' ? String(code) : textOf(code),
  });
}

type Json = Record<string, unknown>;

/** Prefix of an agent's model name, as in similar gateways: `coze-7351…`. */
const prefix = /^coze-/;

function encodeRequest(conversation: Conversation, ask: EncodeOptions, dropped: string[]): Json {
  dropAllSettings(conversation, dropped);
  return {
    bot_id: ask.model.replace(prefix, ''),
    user_id: resolveUserId(conversation, ask),
    stream: true,
    auto_save_history: false,
    additional_messages: prependInstructions(conversation).flatMap((turn) => message(turn, dropped)),
  };
}

/** Returns the turns with the client's instructions as a user turn, because agents have their own. */
function prependInstructions({ system, turns }: Conversation): Turn[] {
  const told: Turn[] = [];
  if (system.length > 0) addTurn(told, { role: 'user', parts: system });
  for (const turn of convertSystemTurns(turns)) addTurn(told, turn);
  return told;
}

function message(turn: Turn, dropped: string[]): Json[] {
  const text = textOfTurn(turn);
  const urls = listImageUrls([turn], dropped);
  if (text === '' && urls.length === 0) return [];
  const kind = turn.role === 'assistant' ? { role: 'assistant', type: 'answer' } : { role: 'user', type: 'question' };
  if (urls.length === 0) return [{ ...kind, content_type: 'text', content: text }];
  const objects = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...urls.map((file_url) => ({ type: 'image', file_url })),
  ];
  return [{ ...kind, content_type: 'object_string', content: JSON.stringify(objects) }];
}

/**
 * Coze's `/v3/chat`, with an agent that is configured there. Requests are always streamed, because a non-streaming
 * response requires polling. https://www.coze.com/docs/developer_guides/chat_v3
 */
export const cozeChat: UpstreamDialect = {
  id: 'coze-chat',
  operation: 'chat',
  readNonStreaming: () => toNonStreamingResponse([]),
  // The instructions are already the user's text.
  chat: { onlyStreams: true, encodeRequest, createStreamDecoder, systemAsUser: (body) => body },
};
