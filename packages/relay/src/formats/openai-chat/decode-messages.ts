import { readCacheMark } from '../../cache-mark.ts';
import type { Part, TextPart, ToolResultPart, Turn } from '../../conversation.ts';
import { readUrl } from '../../data-url.ts';
import { InvalidRequest } from '../../format.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { readProof } from '../../proof.ts';
import { redacted, signed } from './proofs.ts';

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
      const parts = textParts(value['content']);
      if (turns.length === 0) system.push(...parts);
      else addTo(turns, 'system', parts);
    } else if (role === 'assistant') {
      addTo(turns, 'assistant', assistantParts(value, unsupported));
    } else if (role === 'tool' || role === 'function') {
      addTo(turns, 'user', [toolResult(value, unsupported)]);
    } else if (role === 'user') {
      addTo(turns, 'user', contentParts(value['content'], unsupported));
    } else {
      throw new InvalidRequest('The role of a message is not known.', 'messages');
    }
  }
  return { system, turns };
}

function addTo(turns: Turn[], role: Turn['role'], parts: Part[]): void {
  const last = turns.at(-1);
  if (last?.role === role) last.parts.push(...parts);
  else turns.push({ role, parts: [...parts] });
}

function textParts(content: unknown): TextPart[] {
  return contentParts(content, []).filter((part) => part.type === 'text');
}

function contentParts(content: unknown, unsupported: string[]): Part[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(content).flatMap((value): Part[] => {
    const part = objectOf(value);
    const decoded = contentPart(part);
    if (decoded !== undefined) return [decoded];
    if (part['type'] !== 'text') unsupported.push(`messages.content.${textOf(part['type']) ?? 'unknown'}`);
    return [];
  });
}

function contentPart(part: JsonObject): Part | undefined {
  const cache = readCacheMark(part);
  switch (part['type']) {
    case 'text': {
      const text = textOf(part['text']);
      return text === undefined ? undefined : { type: 'text', text, cache };
    }
    case 'refusal':
      return { type: 'refusal', text: textOf(part['refusal']) ?? '' };
    case 'image_url': {
      const image = objectOf(part['image_url']);
      const url = textOf(image['url']) ?? textOf(part['image_url']);
      if (url === undefined) throw new InvalidRequest('An image needs a url.', 'messages');
      return { type: 'image', source: readUrl(url), detail: textOf(image['detail']), cache };
    }
    case 'file': {
      const file = objectOf(part['file']);
      const data = textOf(file['file_data']);
      if (data === undefined) return undefined;
      return { type: 'file', name: textOf(file['filename']), source: readUrl(data), cache };
    }
    default:
      return undefined;
  }
}

function assistantParts(message: JsonObject, unsupported: string[]): Part[] {
  const parts: Part[] = [...reasoningParts(message), ...contentParts(message['content'], unsupported)];
  const refusal = textOf(message['refusal']);
  if (refusal !== undefined) parts.push({ type: 'refusal', text: refusal });
  for (const value of listOf(message['tool_calls'])) {
    const call = objectOf(value);
    const details = objectOf(call['function']);
    const name = textOf(details['name']);
    if (name === undefined) unsupported.push(`messages.tool_calls.${textOf(call['type']) ?? 'unknown'}`);
    else
      parts.push({
        type: 'tool-call',
        callId: textOf(call['id']) ?? name,
        name,
        arguments: argumentsOf(details),
      });
  }
  const legacy = objectOf(message['function_call']);
  const name = textOf(legacy['name']);
  if (name !== undefined)
    parts.push({ type: 'tool-call', callId: name, name, arguments: argumentsOf(legacy) });
  return parts;
}

function argumentsOf(details: JsonObject): string {
  return textOf(details['arguments']) ?? '{}';
}

/** The counterpart of what the answer encoder wrote: text in `reasoning_content`, proofs in `reasoning_details`. */
function reasoningParts(message: JsonObject): Part[] {
  const text = textOf(message['reasoning_content']) ?? textOf(message['reasoning']);
  const details = listOf(message['reasoning_details']).map(objectOf);
  const parts: Part[] = [];
  const texts = details.map((detail) => textOf(detail['text']) ?? '').join('');
  const signature = details.map((detail) => textOf(detail['signature'])).find((value) => value !== undefined);
  const thought = text ?? textOf(texts);
  if (thought !== undefined || signature !== undefined) {
    const proof = signature === undefined ? undefined : readProof(signature, signed);
    parts.push({ type: 'reasoning', text: thought ?? '', proof });
  }
  for (const detail of details) {
    const data = detail['type'] === 'reasoning.encrypted' ? textOf(detail['data']) : undefined;
    if (data !== undefined) parts.push({ type: 'reasoning', text: '', proof: readProof(data, redacted) });
  }
  return parts;
}

function toolResult(message: JsonObject, unsupported: string[]): ToolResultPart {
  const callId = textOf(message['tool_call_id']) ?? textOf(message['name']);
  if (callId === undefined) throw new InvalidRequest('A tool message needs a tool_call_id.', 'messages');
  const content = contentParts(message['content'], unsupported).filter(
    (part) => part.type === 'text' || part.type === 'image',
  );
  return { type: 'tool-result', callId, content };
}
