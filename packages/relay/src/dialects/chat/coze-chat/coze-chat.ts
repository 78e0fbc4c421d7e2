import { UpstreamError } from '../../../errors/upstream-error.ts';
import { isObject, type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import type { Conversation, EncodeOptions, ResponseEvent, Turn } from '../../../model/conversation.ts';
import {
  type StreamDecoder,
  toNonStreamingResponse,
  type UnsupportedFields,
  type UpstreamDialect,
} from '../../../model/dialect.ts';
import { emptyUsage, toTokenCount, type Usage } from '../../../model/usage.ts';
import { addTurn } from '../../../translate/alternate-turns.ts';
import { convertSystemTurns } from '../../../translate/system-notes.ts';
import { dropAllSettings, listImageUrls, resolveUserId, textOfTurn } from '../agent-apps.ts';

function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new CozeDecoder(lost);
}

/** Kinds of messages that no client misses: what the agent did on its way, and that it is about to end. */
const ignoredTypes: ReadonlySet<unknown> = new Set(['verbose', 'function_call', 'tool_output', 'tool_response']);

/** The name of an event is not in its data. https://www.coze.com/docs/developer_guides/chat_v3#streaming-response */
class CozeDecoder implements StreamDecoder {
  usage: Usage | undefined;
  #isStarted = false;
  /** The message whose pieces came; it comes as a whole when it is complete. */
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
      // The agent waits for what a tool of the client's says, which cannot be handed to it here.
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

  /** The end has been told. */
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
      this.#lost.add(`messages.${String(event['type'])}`);
    return [];
  }

  #start(event: JsonObject): ResponseEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [{ type: 'start', id: textOf(event['chat_id']) ?? textOf(event['id']) ?? '', model: '' }];
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

/** The model names the agent, as gateways of this kind write it: `coze-7351…`. */
const prefix = /^coze-/;

function encodeRequest(conversation: Conversation, { model }: EncodeOptions, dropped: string[]): Json {
  dropAllSettings(conversation, dropped);
  return {
    bot_id: model.replace(prefix, ''),
    user_id: resolveUserId(conversation),
    stream: true,
    auto_save_history: false,
    additional_messages: prependInstructions(conversation).flatMap((turn) => message(turn, dropped)),
  };
}

/** Agents have instructions of their own; a client's are said by the user. */
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
 * Coze's `/v3/chat`, with an agent that was put together there. Whole answers would have to be asked for again and
 * again, so that all are streams. https://www.coze.com/docs/developer_guides/chat_v3
 */
export const cozeChat: UpstreamDialect = {
  id: 'coze-chat',
  operation: 'chat',
  readNonStreaming: () => toNonStreamingResponse([]),
  // Its instructions are the user's words already.
  chat: { onlyStreams: true, encodeRequest, createStreamDecoder, systemAsUser: (body) => body },
};
