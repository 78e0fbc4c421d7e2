import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { readCacheMark, withMessageMark } from '../../../model/cache-mark.ts';
import type {
  ImagePart,
  Part,
  ResultPart,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../model/conversation.ts';
import { InvalidRequest } from '../../../model/invalid-request.ts';
import { addTurn } from '../../../translate/paired-turns.ts';
import { thoughtsAndCalls } from './decode-calls.ts';
import { contentParts, imagePart } from './decode-content.ts';
import { reasoningParts } from './decode-reasoning.ts';

interface DecodedMessages {
  system: TextPart[];
  turns: Turn[];
}

/** System and developer messages at the head become the system prompt; a later one stays where it is. */
export function decodeMessages(messages: readonly unknown[], unsupported: string[]): DecodedMessages {
  const system: TextPart[] = [];
  const turns: Turn[] = [];
  for (const value of messages) {
    if (!isObject(value)) throw new InvalidRequest('Each message must be an object.', 'messages');
    const role = value['role'];
    if (role === 'system' || role === 'developer') {
      const texts = contentParts(value['content'], unsupported).filter((part) => part.type === 'text');
      const parts = withMessageMark(texts, value).filter((part) => part.type === 'text');
      if (turns.length === 0) system.push(...parts);
      else addTurn(turns, { role: 'system', parts });
    } else if (role === 'assistant') {
      addTurn(turns, {
        role: 'assistant',
        parts: withMessageMark(assistantParts(value, unsupported), value),
      });
    } else if (role === 'tool' || role === 'function') {
      addTurn(turns, { role: 'user', parts: [toolResult(value, unsupported)] });
      continue;
    } else if (role === 'user') {
      addTurn(turns, {
        role: 'user',
        parts: withMessageMark(contentParts(value['content'], unsupported), value),
      });
    } else {
      throw new InvalidRequest('The role of a message is unknown.', 'messages');
    }
    for (const field of unsaidFields) if (value[field] != null) unsupported.push(`messages.${field}`);
  }
  return { system, turns };
}

/** `audio` names an earlier answer by the id that its vendor keeps it under. */
const unsaidFields = ['name', 'audio'] as const;

function assistantParts(message: JsonObject, unsupported: string[]): Part[] {
  const { thoughts, calls } = thoughtsAndCalls(message, reasoningParts(message), unsupported);
  const refusal = textOf(message['refusal']);
  return [
    ...thoughts,
    ...contentParts(message['content'], unsupported),
    ...(refusal === undefined ? [] : [{ type: 'refusal' as const, text: refusal }]),
    ...answeredImages(message),
    ...calls,
  ];
}

/** Pictures of an earlier answer, where OpenRouter's clients keep them. */
function answeredImages(message: JsonObject): ImagePart[] {
  return listOf(message['images']).map((image) => imagePart(objectOf(image)));
}

function toolResult(message: JsonObject, unsupported: string[]): ToolResultPart {
  const callId = textOf(message['tool_call_id']) ?? textOf(message['name']) ?? '';
  const parts = contentParts(message['content'], unsupported);
  const content = parts.filter(
    (part) => part.type === 'text' || part.type === 'image' || part.type === 'file',
  );
  if (content.length < parts.length) unsupported.push('messages.tool.content');
  const cache = content.findLast((part) => part.cache !== undefined)?.cache ?? readCacheMark(message);
  return { type: 'tool-result', callId, content: content.map(withoutCache), cache };
}

/** The breakpoint is behind the whole result. */
function withoutCache(part: ResultPart): ResultPart {
  return { ...part, cache: undefined };
}
