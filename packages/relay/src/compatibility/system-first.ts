/**
 * Handling of models whose chat template knows one system message, at the head. Later ones stay where they are, as a
 * marked text of the user. At the head they would change their meaning, and invalidate the cached prompt.
 */
import { isObject, type JsonObject, listOf, textOf } from '../json/json.ts';
import { systemNote } from '../translate/system-notes.ts';

/** Fields of a dialect: its messages, and the instruction before them. */
const places = {
  'openai-chat': { list: 'messages', before: undefined, partType: 'text' },
  'anthropic-messages': { list: 'messages', before: 'system', partType: 'text' },
  'openai-responses': { list: 'input', before: 'instructions', partType: 'input_text' },
} as const;

type Place = (typeof places)[keyof typeof places];

export function hasSystemFirst(format: string): format is keyof typeof places {
  return Object.hasOwn(places, format);
}

/** Returns the body with one instruction, at the head; the same object when no other one is in it. */
export function withSystemFirst(body: JsonObject, format: keyof typeof places): JsonObject {
  const place = places[format];
  const messages = listOf(body[place.list]);
  const isBefore = place.before !== undefined && body[place.before] != null;
  const found = isBefore ? 0 : messages.findIndex((message) => !isInstruction(message));
  const first = found === -1 ? messages.length : found;
  const [head, rest] = [messages.slice(0, first), messages.slice(first)];
  if (head.length < 2 && !rest.some(isInstruction)) return body;
  return { ...body, [place.list]: [...asOne(head, place), ...asNotes(rest, place)] };
}

/** Instructions that stand side by side are one message: a template takes no second one. */
function asOne(instructions: readonly unknown[], place: Place): unknown[] {
  const [first, ...others] = instructions.filter(isObject);
  if (first === undefined || others.length === 0) return [...instructions];
  const content = others.reduce<unknown>(
    (said, { content }) => joined(said, content, place),
    first['content'],
  );
  return [{ ...first, content }];
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message['role'] === 'system' || message['role'] === 'developer');
}

/** Some templates want user and assistant to take turns, so that a note joins the user's message beside it. */
function asNotes(messages: readonly unknown[], place: Place): unknown[] {
  const changed: unknown[] = [];
  let isNoteLast = false;
  for (const message of messages) {
    const isNote = isInstruction(message);
    const said = isNote && isObject(message) ? asUserMessage(message) : message;
    const last = changed.at(-1);
    const joins = (isNote || isNoteLast) && isUsers(last) && isUsers(said);
    if (joins) changed.splice(-1, 1, { ...last, content: joined(last['content'], said['content'], place) });
    else changed.push(said);
    isNoteLast = isNote;
  }
  return changed;
}

function isUsers(message: unknown): message is JsonObject {
  return isObject(message) && message['role'] === 'user';
}

function asUserMessage({ type, content }: JsonObject): JsonObject {
  const user = { ...(type !== undefined && { type }), role: 'user' };
  const text = textOf(content);
  if (text !== undefined) return { ...user, content: systemNote(text) };
  const parts = listOf(content).map((part) => {
    const said = isObject(part) ? textOf(part['text']) : undefined;
    return isObject(part) && said !== undefined ? { ...part, text: systemNote(said) } : part;
  });
  return { ...user, content: parts };
}

function joined(before: unknown, after: unknown, place: Place): unknown {
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...partsOf(before, place), ...partsOf(after, place)];
}

function partsOf(content: unknown, { partType }: Place): unknown[] {
  const text = textOf(content);
  return text === undefined ? [...listOf(content)] : [{ type: partType, text }];
}
