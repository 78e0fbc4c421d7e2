/**
 * For models whose chat template knows one system message, at the head: what is said to them later stays where it is, as
 * a marked text of the user. Moved to the head it would change what it refers to, and the cache of the prompt.
 */
import { isObject, type JsonObject, listOf, textOf } from '../json.ts';
import { systemNote } from '../system-notes.ts';

/** Of a body in Chat Completions or Messages; the same object when no instruction stands later. */
export function withSystemFirst(body: JsonObject): JsonObject {
  const messages = listOf(body['messages']);
  const first = messages.findIndex((message) => !isInstruction(message));
  if (first === -1 || !messages.some((message, at) => at > first && isInstruction(message))) return body;
  return { ...body, messages: [...messages.slice(0, first), ...asNotes(messages.slice(first))] };
}

function isInstruction(message: unknown): boolean {
  return isObject(message) && (message['role'] === 'system' || message['role'] === 'developer');
}

/** Some templates want user and assistant to take turns, so that a note joins the user's message beside it. */
function asNotes(messages: readonly unknown[]): unknown[] {
  const changed: unknown[] = [];
  let isNoteLast = false;
  for (const message of messages) {
    const isNote = isInstruction(message);
    const said = isNote && isObject(message) ? noteOf(message) : message;
    const last = changed.at(-1);
    const joins = (isNote || isNoteLast) && isUsers(last) && isUsers(said);
    if (joins) changed.splice(-1, 1, { ...last, content: joined(last['content'], said['content']) });
    else changed.push(said);
    isNoteLast = isNote;
  }
  return changed;
}

function isUsers(message: unknown): message is JsonObject {
  return isObject(message) && message['role'] === 'user';
}

function noteOf({ content }: JsonObject): JsonObject {
  const text = textOf(content);
  if (text !== undefined) return { role: 'user', content: systemNote(text) };
  const parts = listOf(content).map((part) => {
    const said = isObject(part) ? textOf(part['text']) : undefined;
    return isObject(part) && said !== undefined ? { ...part, text: systemNote(said) } : part;
  });
  return { role: 'user', content: parts };
}

function joined(before: unknown, after: unknown): unknown {
  if (typeof before === 'string' && typeof after === 'string') return `${before}\n\n${after}`;
  return [...partsOf(before), ...partsOf(after)];
}

function partsOf(content: unknown): unknown[] {
  const text = textOf(content);
  return text === undefined ? [...listOf(content)] : [{ type: 'text', text }];
}
