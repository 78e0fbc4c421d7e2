/** Key of the conversation that a request belongs to; read only if routing has a choice. */

import { isObject, type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import type { ClientRequest } from '../model/client-request.ts';

/**
 * Returns a key that distinguishes a conversation from a user's others: the client's own name for it, else its start,
 * which stays the same while it grows. Undefined for requests outside a conversation.
 */
export function conversationKey({ json, operation }: ClientRequest): string | undefined {
  if (operation !== 'chat') return undefined;
  const named =
    textOf(json['prompt_cache_key']) ?? textOf(objectOf(json['metadata'])['user_id']) ?? textOf(json['user']);
  if (named !== undefined) return `named ${named}`;
  const messages = readMessages(json);
  const firstUser = messages.findIndex((message) => (objectOf(message)['role'] ?? 'user') === 'user');
  const { input } = json;
  const opening = typeof input === 'string' ? input : messages.slice(0, firstUser + 1);
  return `opening ${describeStart([readSystem(json), opening])}`;
}

function readSystem(json: JsonObject): unknown {
  return json['system'] ?? json['instructions'] ?? json['systemInstruction'] ?? json['system_instruction'];
}

/** Returns the messages, which are called `input` in the Responses API, and `contents` in Gemini's. */
export function readMessages(json: JsonObject): readonly unknown[] {
  return listOf(json['messages'] ?? json['input'] ?? json['contents']);
}

/**
 * Compared characters of each text, and compared values, which suffice to distinguish conversations: a mistake costs a
 * cold cache, reading megabytes costs time.
 */
const TEXT_COMPARED = 1_024;
const VALUES_COMPARED = 1_000;

/** Returns the first values as JSON text. A long text is shortened to its start and its length. */
function describeStart(value: unknown): string {
  let left = VALUES_COMPARED;
  const describe = (inner: unknown): string => {
    left--;
    if (Array.isArray(inner)) {
      const items: string[] = [];
      for (let at = 0; at < inner.length && left > 0; at++) items.push(describe(inner[at]));
      return `[${items.join(',')}]`;
    }
    if (isObject(inner)) {
      const fields: string[] = [];
      for (const name in inner) {
        if (left <= 0) break;
        fields.push(`${JSON.stringify(name)}:${describe(inner[name])}`);
      }
      return `{${fields.join(',')}}`;
    }
    const isLong = typeof inner === 'string' && inner.length > TEXT_COMPARED;
    return JSON.stringify(isLong ? [inner.length, inner.slice(0, TEXT_COMPARED)] : inner);
  };
  return describe(value);
}
