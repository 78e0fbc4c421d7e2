import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { Conversation, EncodeOptions, ResponseEvent, Turn } from '../../../model/conversation.ts';
import {
  type StreamDecoder,
  toNonStreamingResponse,
  type UnsupportedFields,
  type UpstreamDialect,
} from '../../../model/dialect.ts';
import { startEvent } from '../../../model/task-and-call-ids.ts';
import { emptyUsage, toTokenCount, type Usage } from '../../../model/usage.ts';
import { convertSystemTurns } from '../../../translate/turns-and-instructions.ts';
import { dropAllSettings, listImageUrls, resolveUserId, textOfTurn } from '../agent-app-encoding.ts';

/** Maximum citations of a response. */
const CITATIONS_MAX = 20;

function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new DifyDecoder(lost);
}

/** Decoder of events with their type in `event`. Errors are read before. */
class DifyDecoder implements StreamDecoder {
  usage: Usage | undefined;
  #isStarted = false;
  #length = 0;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  push(event: JsonObject): ResponseEvent[] {
    const kind = event['event'];
    switch (kind) {
      case 'message':
      case 'agent_message':
        return [...this.#start(event), ...this.#text(event['answer'])];
      case 'agent_thought':
        return [...this.#start(event), ...reasoning(event['thought'])];
      // Delivered text cannot be replaced.
      case 'message_replace':
      case 'message_file':
        this.#lost.add(kind);
        return [];
      case 'message_end':
        return [...this.#start(event), ...this.#finish(objectOf(event['metadata']))];
      default:
        return [];
    }
  }

  /** True after the finish event. */
  end(): ResponseEvent[] {
    return [];
  }

  #start({ message_id, id }: JsonObject): ResponseEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    return [startEvent(textOf(message_id) ?? id)];
  }

  #text(answer: unknown): ResponseEvent[] {
    const text = textOf(answer);
    this.#length += text?.length ?? 0;
    return text === undefined ? [] : [{ type: 'text', text }];
  }

  #report(report: unknown): ResponseEvent[] {
    if (!isObject(report)) return [];
    const input = toTokenCount(report['prompt_tokens']);
    const output = toTokenCount(report['completion_tokens']);
    this.usage = { ...emptyUsage(), input, output };
    return [{ type: 'usage', usage: this.usage }];
  }

  #finish({ usage, retriever_resources: resources }: JsonObject): ResponseEvent[] {
    const citations = listOf(resources).slice(0, CITATIONS_MAX).map(objectOf);
    return [
      ...citations.map(({ document_name, content }): ResponseEvent => {
        const source = { title: textOf(document_name), quote: textOf(content) };
        return { type: 'citation', citation: { ...source, start: 0, end: this.#length } };
      }),
      ...this.#report(usage),
      { type: 'finish', reason: 'stop' },
    ];
  }
}

function reasoning(thought: unknown): ResponseEvent[] {
  const text = textOf(thought);
  return text === undefined ? [] : [{ type: 'reasoning', text }];
}

const speakers = { user: 'User', assistant: 'Assistant', system: 'System' } as const;

/** Encodes a request. Earlier turns become part of the question, because the app stores conversations itself. */
function encodeRequest(conversation: Conversation, ask: EncodeOptions, dropped: string[]): Record<string, unknown> {
  dropAllSettings(conversation, dropped);
  const turns = convertSystemTurns(conversation.turns);
  const files = listImageUrls(turns, dropped).map((url) => ({ type: 'image', transfer_method: 'remote_url', url }));
  return {
    inputs: {},
    query: buildQuery(conversation, turns),
    response_mode: 'streaming',
    user: resolveUserId(conversation, ask),
    auto_generate_name: false,
    ...(files.length > 0 && { files }),
  };
}

/** Builds the question; a single turn without instructions is sent unchanged. */
function buildQuery({ system }: Conversation, turns: readonly Turn[]): string {
  const [only, ...others] = turns;
  const instructions = system.map(({ text }) => text).filter((text) => text !== '');
  if (instructions.length === 0 && only !== undefined && others.length === 0) return textOfTurn(only);
  const said = turns.map((turn) => `${speakers[turn.role]}: ${textOfTurn(turn)}`);
  return [...instructions, ...said].join('\n\n');
}

/**
 * Dify's `/chat-messages`, with an app that is configured there. Agent apps only stream.
 * https://docs.dify.ai/api-reference/chat/send-chat-message
 */
export const difyChat: UpstreamDialect = {
  id: 'dify-chat',
  operation: 'chat',
  readNonStreaming: () => toNonStreamingResponse([]),
  // The instructions are already the user's text.
  chat: { onlyStreams: true, encodeRequest, createStreamDecoder, systemAsUser: (body) => body },
};
