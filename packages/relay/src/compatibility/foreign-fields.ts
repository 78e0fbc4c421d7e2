/** Fields that vendors add to Chat Completions, for targets that refuse what they do not know. */
import { isObject, type JsonObject, listOf } from '../json/json.ts';

const MARK = 'cache_control';

/**
 * Anthropic's marks of what to cache, which other vendors and gateways took over. Clients write them at the root, in
 * messages, parts and calls, and in tools or their functions.
 */
export function withoutCacheMarks(body: JsonObject, dropped: string[]): JsonObject {
  const unmarked = (item: JsonObject): JsonObject => without(item, MARK);
  const inMessages = withList(without(body, MARK), 'messages', (message) =>
    withList(withList(unmarked(message), 'content', unmarked), 'tool_calls', unmarked),
  );
  const fitted = withList(inMessages, 'tools', (tool) => {
    const { function: declared } = tool;
    const plain = isObject(declared) ? unmarked(declared) : declared;
    return unmarked(plain === declared ? tool : { ...tool, function: plain });
  });
  if (fitted !== body) dropped.push(MARK);
  return fitted;
}

/**
 * Gemini's signatures in tool calls, as Google writes them. They are of use to nobody but Google, so that nothing is
 * lost. https://ai.google.dev/gemini-api/docs/openai
 */
export function withoutGoogleExtras(body: JsonObject): JsonObject {
  return withList(body, 'messages', (message) =>
    withList(without(message, 'extra_content'), 'tool_calls', (call) => without(call, 'extra_content')),
  );
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
