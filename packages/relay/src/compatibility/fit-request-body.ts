/** Fits the body of a chat request to its target's features, in the target's dialect. */

import { decodeEffort } from '../dialects/chat/openai-fields-and-tools.ts';
import { findNearestEffort } from '../dialects/chat/reasoning-effort.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf, textsIn } from '../json/json.ts';
import type { UpstreamDialectId } from '../model/dialect-id.ts';
import { formatSystemNote } from '../translate/turns-and-instructions.ts';
import type { TargetFeatures } from './target-features.ts';

/**
 * Returns a body that the target accepts; the same object if nothing changes. Fields that the client wrote in the
 * target's own dialect are kept unless the target is known to refuse them.
 * @param isTranslated true if the gateway wrote the body
 * @param dropped takes the names of removed fields
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

/** Removes the search option, which only search models accept. */
function withoutSearch(body: JsonObject, dropped: string[]): JsonObject {
  const { web_search_options: options, ...rest } = body;
  if (options === undefined) return body;
  if (options !== null) dropped.push('web_search_options');
  return rest;
}

/** Fits the effort word, which is `reasoning_effort` in Chat Completions and `reasoning.effort` in Responses. */
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

/** Returns the target's word for an effort. An unknown word is passed on, so that the target refuses it. */
function fitEffortWord(said: unknown, efforts: Exclude<TargetFeatures['efforts'], 'any'>): unknown {
  const word = decodeEffort(said);
  return word === undefined ? said : findNearestEffort(word, efforts);
}

/** Reports the removed effort, unless the client wanted no thinking. */
function dropEffort(said: unknown, name: string, dropped: string[]): void {
  if (said !== 'none') dropped.push(name);
}

const MARK = 'cache_control';

/**
 * Removes Anthropic's cache marks, which other vendors and gateways adopted. Clients write them at the root, in
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
 * Removes Gemini's signatures in tool calls. Only Google can use them, so that their removal is not reported.
 * https://ai.google.dev/gemini-api/docs/openai
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

/** Maps the items of a list; returns the same value if it is not a list or nothing changes. */
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

/** Kimi treats an empty text as missing. */
const NO_THOUGHT = ' ';

const fields = ['reasoning_content', 'reasoning', 'reasoning_details'];
const thinkingBlocks: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

/**
 * Returns a request of Chat Completions or Messages with a thought in each assistant message that needs one; the same
 * object if none is missing, or if thinking is off.
 */
function addMissingThoughts(body: JsonObject, format: 'openai-chat' | 'anthropic-messages'): JsonObject {
  if (objectOf(body['thinking'])['type'] === 'disabled') return body;
  const messages = listOf(body['messages']);
  const changed = format === 'openai-chat' ? addChatThoughts(messages) : messages.map(addMessageThought);
  return changed.every((message, index) => message === messages[index]) ? body : { ...body, messages: changed };
}

/** Adds thoughts to all assistant messages after the first tool call, including messages without calls. */
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
 * Handling of models whose chat template accepts one system message, at the start. Later ones stay in place as marked
 * text of the user: at the start they would change their meaning, and invalidate the cached prompt.
 */

/** Fields of a dialect for its messages and for the leading instruction. */
const places = {
  'openai-chat': { list: 'messages', before: undefined, partType: 'text' },
  'anthropic-messages': { list: 'messages', before: 'system', partType: 'text' },
  'openai-responses': { list: 'input', before: 'instructions', partType: 'input_text' },
} as const;

type Place = (typeof places)[keyof typeof places];

function hasSystemFirst(format: string): format is keyof typeof places {
  return Object.hasOwn(places, format);
}

/** Returns the body with one instruction, at the start; the same object if it has no other. */
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

/** Merges adjacent instructions, because a template accepts one. */
function mergeInstructions(instructions: readonly unknown[], place: Place): unknown[] {
  const [first, ...others] = instructions.filter(isObject);
  if (first === undefined || others.length === 0) return [...instructions];
  return [{ ...first, content: mergeContents([first, ...others], place) }];
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message['role'] === 'system' || message['role'] === 'developer');
}

/**
 * Converts instructions to notes of the user. A note joins the adjacent user message, because some templates require
 * alternating roles.
 */
function toUserNotes(messages: readonly unknown[], place: Place): unknown[] {
  const changed: unknown[] = [];
  /** Adjacent messages of the user that become one. */
  let joined: JsonObject[] = [];
  const flush = (): void => {
    const [first, ...others] = joined;
    if (first !== undefined)
      changed.push(others.length === 0 ? first : { ...first, content: mergeContents(joined, place) });
    joined = [];
  };
  let isNoteLast = false;
  for (const message of messages) {
    const isNote = isInstruction(message);
    const said = isNote && isObject(message) ? asUserMessage(message) : message;
    if (!isNote && !isNoteLast) flush();
    if (isUserMessage(said)) joined.push(said);
    else {
      flush();
      changed.push(said);
    }
    isNoteLast = isNote;
  }
  flush();
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

/** Merges the contents of several messages at once: a copy for each of them would take seconds for thousands. */
function mergeContents(messages: readonly JsonObject[], place: Place): unknown {
  const contents = messages.map(({ content }) => content);
  const firstList = contents.findIndex((content) => typeof content !== 'string');
  if (firstList === -1) return textsIn(contents).join('\n\n');
  const text = textsIn(contents.slice(0, firstList)).join('\n\n');
  return [text, ...contents.slice(firstList)].flatMap((content) => partsOf(content, place));
}

function partsOf(content: unknown, { partType }: Place): unknown[] {
  const text = textOf(content);
  return text === undefined ? [...listOf(content)] : [{ type: partType, text }];
}
