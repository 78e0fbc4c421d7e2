/**
 * Handling of models that refuse a history of tool calls without the thoughts behind them. Thoughts are missing when
 * another model responded, when the client's dialect hides thoughts that it did not ask for, or when the client lost
 * them.
 */
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';

/** Kimi takes an empty text for a missing one. */
const NO_THOUGHT = ' ';

const fields = ['reasoning_content', 'reasoning', 'reasoning_details'];
const thinkingBlocks: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * Returns a request of Chat Completions or Messages with a thought in each message of the assistant that needs one; the same
 * object when none is missing, or when the model is told not to think.
 */
export function withThoughts(body: JsonObject, format: 'openai-chat' | 'anthropic-messages'): JsonObject {
  if (objectOf(body['thinking'])['type'] === 'disabled') return body;
  const messages = listOf(body['messages']);
  const changed = format === 'openai-chat' ? inChat(messages) : messages.map(inMessage);
  return changed.every((message, index) => message === messages[index])
    ? body
    : { ...body, messages: changed };
}

/** Once tools were called, all messages need thoughts, also the texts behind the calls. */
function inChat(messages: readonly unknown[]): readonly unknown[] {
  const hasCalls = messages.some(
    (message) => isAssistant(message) && listOf(message['tool_calls']).length > 0,
  );
  if (!hasCalls) return messages;
  return messages.map((message) =>
    isAssistant(message) && fields.every((field) => message[field] == null || message[field] === '')
      ? { ...message, reasoning_content: NO_THOUGHT }
      : message,
  );
}

function inMessage(message: unknown): unknown {
  if (!isAssistant(message)) return message;
  const blocks = listOf(message['content']);
  const types = blocks.map((block) => objectOf(block)['type']);
  if (!types.includes('tool_use') || types.some((type) => thinkingBlocks.has(type))) return message;
  return { ...message, content: [{ type: 'thinking', thinking: NO_THOUGHT, signature: '' }, ...blocks] };
}

function isAssistant(message: unknown): message is JsonObject {
  return isObject(message) && message['role'] === 'assistant';
}
