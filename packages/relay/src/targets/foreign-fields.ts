/** Fields that vendors add to Chat Completions, for targets that refuse what they do not know. */
import { isObject, type JsonObject, listOf } from '../json.ts';

/** Anthropic's marks of what to cache, which other vendors and gateways took over: in messages, parts and tools. */
export function withoutCacheMarks(body: JsonObject, dropped: string[]): JsonObject {
  const { cache_control: atRoot, ...rest } = body;
  const messages = eachOf(body['messages'], (message) => {
    const unmarked = without(message, 'cache_control');
    return withList(unmarked, 'content', (part) => without(part, 'cache_control'));
  });
  const tools = eachOf(body['tools'], (tool) => without(tool, 'cache_control'));
  const isSame = messages === body['messages'] && tools === body['tools'];
  if (isSame && atRoot === undefined) return body;
  dropped.push('cache_control');
  return { ...rest, ...(messages !== undefined && { messages }), ...(tools !== undefined && { tools }) };
}

/**
 * Gemini's signatures in tool calls, as Google writes them. They are of use to nobody but Google, so that nothing is
 * lost. https://ai.google.dev/gemini-api/docs/openai
 */
export function withoutGoogleExtras(body: JsonObject): JsonObject {
  const messages = eachOf(body['messages'], (message) =>
    withList(without(message, 'extra_content'), 'tool_calls', (call) => without(call, 'extra_content')),
  );
  return messages === body['messages'] ? body : { ...body, messages };
}

function withList(owner: JsonObject, field: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const list = eachOf(owner[field], change);
  return list === owner[field] ? owner : { ...owner, [field]: list };
}

/** The same value where nothing in it changes, or it is no list. */
function eachOf(value: unknown, change: (item: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(value)) return value;
  const items = listOf(value);
  const changed = items.map((item) => (isObject(item) ? change(item) : item));
  return changed.some((item, at) => item !== items[at]) ? changed : value;
}

function without(object: JsonObject, field: string): JsonObject {
  if (object[field] === undefined) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}
