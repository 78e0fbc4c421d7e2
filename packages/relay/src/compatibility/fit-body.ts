/** Fits the body of a chat request to what its target takes, in the target's dialect. */

import { decodeEffort } from '../dialects/chat/openai-request-fields.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { formatSystemNote } from '../translate/system-notes.ts';
import { findNearestEffort } from './effort-words.ts';
import type { TargetFeatures } from './target-features.ts';

/**
 * The same object when the target takes all of it. What a client wrote in the target's own dialect goes along unless the
 * target is known to refuse it.
 * @param isTranslated the body was written here
 * @param dropped takes the names of what is left out
 */
export function fitBody(
  body: JsonObject,
  format: UpstreamDialectId,
  features: TargetFeatures,
  { isTranslated, dropped }: { isTranslated: boolean; dropped: string[] },
): JsonObject {
  const isChat = format === 'openai-chat';
  let fitted = body;
  if (isChat || format === 'openai-responses') fitted = fitEffort(fitted, features, dropped);
  if (features.systemTurns === 'first' && hasSystemFirst(format)) fitted = withSystemFirst(fitted, format);
  const hasThoughts = isChat || format === 'anthropic-messages';
  if (hasThoughts && features.earlierThoughts === 'required') fitted = addMissingThoughts(fitted, format);
  if (!isChat) return fitted;
  if (features.webSearch === 'refused') fitted = withoutSearch(fitted, dropped);
  if (features.cacheMarks === 'refused') fitted = withoutCacheMarks(fitted, dropped);
  const { googleExtras } = features;
  const isRefused = googleExtras === 'refused' || (isTranslated && googleExtras === 'unknown');
  return isRefused ? withoutGoogleExtras(fitted) : fitted;
}

/** The option of models made for searching, which others refuse. */
function withoutSearch(body: JsonObject, dropped: string[]): JsonObject {
  const { web_search_options: options, ...rest } = body;
  if (options === undefined) return body;
  if (options !== null) dropped.push('web_search_options');
  return rest;
}

/** The word stands in `reasoning_effort` in Chat Completions and in `reasoning.effort` in Responses. */
function fitEffort(body: JsonObject, { efforts }: TargetFeatures, dropped: string[]): JsonObject {
  if (efforts === 'any') return body;
  const { reasoning_effort: inChat, ...rest } = body;
  if (inChat !== undefined) {
    const word = fitEffortWord(inChat, efforts);
    if (word === inChat) return body;
    if (word === undefined) dropEffort(inChat, 'reasoning_effort', dropped);
    return word === undefined ? rest : { ...body, reasoning_effort: word };
  }
  if (!isObject(body['reasoning'])) return body;
  const { effort, ...others } = body['reasoning'];
  const word = fitEffortWord(effort, efforts);
  if (word === effort) return body;
  if (word === undefined) dropEffort(effort, 'reasoning.effort', dropped);
  if (word !== undefined) return { ...body, reasoning: { ...others, effort: word } };
  const { reasoning: _reasoning, ...unsaid } = body;
  return Object.keys(others).length > 0 ? { ...unsaid, reasoning: others } : unsaid;
}

/** Returns the target's word for an effort. A word of no vendor is passed on, for the target to refuse. */
function fitEffortWord(said: unknown, efforts: Exclude<TargetFeatures['efforts'], 'any'>): unknown {
  const word = decodeEffort(said);
  return word === undefined ? said : findNearestEffort(word, efforts);
}

/** Names the loss. A client that wants no thinking loses nothing at a model without any. */
function dropEffort(said: unknown, name: string, dropped: string[]): void {
  if (said !== 'none') dropped.push(name);
}

/** Fields that vendors add to Chat Completions, for targets that refuse what they do not know. */

const MARK = 'cache_control';

/**
 * Anthropic's marks of what to cache, which other vendors and gateways took over. Clients write them at the root, in
 * messages, parts and calls, and in tools or their functions.
 */
function withoutCacheMarks(body: JsonObject, dropped: string[]): JsonObject {
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
function withoutGoogleExtras(body: JsonObject): JsonObject {
  return withList(body, 'messages', (message) =>
    withList(without(message, 'extra_content'), 'tool_calls', (call) => without(call, 'extra_content')),
  );
}

function withList(owner: JsonObject, field: string, change: (item: JsonObject) => JsonObject): JsonObject {
  const list = mapItems(owner[field], change);
  return list === owner[field] ? owner : { ...owner, [field]: list };
}

/** The same value where nothing in it changes, or it is no list. */
function mapItems(value: unknown, change: (item: JsonObject) => JsonObject): unknown {
  if (!Array.isArray(value)) return value;
  const items = listOf(value);
  const changed = items.map((item) => (isObject(item) ? change(item) : item));
  return changed.some((item, at) => item !== items[at]) ? changed : value;
}

function without(object: JsonObject, field: string): JsonObject {
  if (object[field] === undefined) return object;
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));
}

/**
 * Handling of models that refuse a history of tool calls without the thoughts behind them. Thoughts are missing when
 * another model responded, when the client's dialect hides thoughts that it did not ask for, or when the client lost
 * them.
 */

/** Kimi takes an empty text for a missing one. */
const NO_THOUGHT = ' ';

const fields = ['reasoning_content', 'reasoning', 'reasoning_details'];
const thinkingBlocks: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * Returns a request of Chat Completions or Messages with a thought in each message of the assistant that needs one; the same
 * object when none is missing, or when the model is told not to think.
 */
function addMissingThoughts(body: JsonObject, format: 'openai-chat' | 'anthropic-messages'): JsonObject {
  if (objectOf(body['thinking'])['type'] === 'disabled') return body;
  const messages = listOf(body['messages']);
  const changed = format === 'openai-chat' ? addChatThoughts(messages) : messages.map(addMessageThought);
  return changed.every((message, index) => message === messages[index]) ? body : { ...body, messages: changed };
}

/** Once tools were called, all messages need thoughts, also the texts behind the calls. */
function addChatThoughts(messages: readonly unknown[]): readonly unknown[] {
  const hasCalls = messages.some((message) => isAssistant(message) && listOf(message['tool_calls']).length > 0);
  if (!hasCalls) return messages;
  return messages.map((message) =>
    isAssistant(message) && fields.every((field) => message[field] == null || message[field] === '')
      ? { ...message, reasoning_content: NO_THOUGHT }
      : message,
  );
}

function addMessageThought(message: unknown): unknown {
  if (!isAssistant(message)) return message;
  const blocks = listOf(message['content']);
  const types = blocks.map((block) => objectOf(block)['type']);
  if (!types.includes('tool_use') || types.some((type) => thinkingBlocks.has(type))) return message;
  return { ...message, content: [{ type: 'thinking', thinking: NO_THOUGHT, signature: '' }, ...blocks] };
}

function isAssistant(message: unknown): message is JsonObject {
  return isObject(message) && message['role'] === 'assistant';
}

/**
 * Handling of models whose chat template knows one system message, at the head. Later ones stay where they are, as a
 * marked text of the user. At the head they would change their meaning, and invalidate the cached prompt.
 */

/** Fields of a dialect: its messages, and the instruction before them. */
const places = {
  'openai-chat': { list: 'messages', before: undefined, partType: 'text' },
  'anthropic-messages': { list: 'messages', before: 'system', partType: 'text' },
  'openai-responses': { list: 'input', before: 'instructions', partType: 'input_text' },
} as const;

type Place = (typeof places)[keyof typeof places];

function hasSystemFirst(format: string): format is keyof typeof places {
  return Object.hasOwn(places, format);
}

/** Returns the body with one instruction, at the head; the same object when no other one is in it. */
function withSystemFirst(body: JsonObject, format: keyof typeof places): JsonObject {
  const place = places[format];
  const messages = listOf(body[place.list]);
  const isBefore = place.before !== undefined && body[place.before] != null;
  const found = isBefore ? 0 : messages.findIndex((message) => !isInstruction(message));
  const first = found === -1 ? messages.length : found;
  const [head, rest] = [messages.slice(0, first), messages.slice(first)];
  if (head.length < 2 && !rest.some(isInstruction)) return body;
  return { ...body, [place.list]: [...mergeInstructions(head, place), ...toUserNotes(rest, place)] };
}

/** Instructions that stand side by side are one message: a template takes no second one. */
function mergeInstructions(instructions: readonly unknown[], place: Place): unknown[] {
  const [first, ...others] = instructions.filter(isObject);
  if (first === undefined || others.length === 0) return [...instructions];
  const content = others.reduce<unknown>((said, { content }) => mergeContent(said, content, place), first['content']);
  return [{ ...first, content }];
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message['role'] === 'system' || message['role'] === 'developer');
}

/** Some templates want user and assistant to take turns, so that a note joins the user's message beside it. */
function toUserNotes(messages: readonly unknown[], place: Place): unknown[] {
  const changed: unknown[] = [];
  let isNoteLast = false;
  for (const message of messages) {
    const isNote = isInstruction(message);
    const said = isNote && isObject(message) ? asUserMessage(message) : message;
    const last = changed.at(-1);
    const joins = (isNote || isNoteLast) && isUserMessage(last) && isUserMessage(said);
    if (joins) changed.splice(-1, 1, { ...last, content: mergeContent(last['content'], said['content'], place) });
    else changed.push(said);
    isNoteLast = isNote;
  }
  return changed;
}

function isUserMessage(message: unknown): message is JsonObject {
  return isObject(message) && message['role'] === 'user';
}

function asUserMessage({ type, content }: JsonObject): JsonObject {
  const user = { ...(type !== undefined && { type }), role: 'user' };
  const text = textOf(content);
  if (text !== undefined) return { ...user, content: formatSystemNote(text) };
  const parts = listOf(content).map((part) => {
    const said = isObject(part) ? textOf(part['text']) : undefined;
    return isObject(part) && said !== undefined ? { ...part, text: formatSystemNote(said) } : part;
  });
  return { ...user, content: parts };
}

function mergeContent(before: unknown, after: unknown, place: Place): unknown {
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...partsOf(before, place), ...partsOf(after, place)];
}

function partsOf(content: unknown, { partType }: Place): unknown[] {
  const text = textOf(content);
  return text === undefined ? [...listOf(content)] : [{ type: partType, text }];
}
