import { readCacheMark } from '../../cache-mark.ts';
import type { FilePart, ImagePart, Part, ResultPart, TextPart, Turn } from '../../conversation.ts';
import type { FileSource } from '../../data-url.ts';
import { InvalidRequest } from '../../format.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { type Proof, readProof } from '../../proof.ts';
import { redacted, signed } from './proofs.ts';

export function decodeTurns(messages: readonly unknown[], unsupported: string[]): Turn[] {
  return messages.map((message): Turn => {
    if (!isObject(message)) throw new InvalidRequest('Each message must be an object.', 'messages');
    const parts = contentParts(message['content'], unsupported);
    switch (message['role']) {
      case 'user':
      case 'assistant':
        return { role: message['role'], parts };
      case 'system':
        return { role: 'system', parts };
      default:
        throw new InvalidRequest('The role of a message must be user or assistant.', 'messages');
    }
  });
}

function contentParts(content: unknown, unsupported: string[]): Part[] {
  const text = textOf(content);
  if (text !== undefined) return [{ type: 'text', text }];
  return listOf(content).flatMap((value): Part[] => {
    const block = objectOf(value);
    const part = contentPart(block, unsupported);
    if (part === undefined && block['type'] !== 'text') {
      unsupported.push(`messages.content.${textOf(block['type']) ?? 'unknown'}`);
    }
    return part === undefined ? [] : [part];
  });
}

function contentPart(block: JsonObject, unsupported: string[]): Part | undefined {
  switch (block['type']) {
    case 'text':
    case 'image':
    case 'document':
      return plainPart(block);
    case 'thinking':
      return {
        type: 'reasoning',
        text: textOf(block['thinking']) ?? '',
        proof: proofOf(block['signature'], signed),
      };
    case 'redacted_thinking':
      return { type: 'reasoning', text: '', proof: proofOf(block['data'], redacted) };
    case 'tool_use':
      return {
        type: 'tool-call',
        callId: requiredText(block, 'id'),
        name: requiredText(block, 'name'),
        arguments: JSON.stringify(block['input'] ?? {}),
        cache: readCacheMark(block),
      };
    case 'tool_result':
      return {
        type: 'tool-result',
        callId: requiredText(block, 'tool_use_id'),
        content: resultContent(block['content'], unsupported),
        isError: block['is_error'] === true ? true : undefined,
        cache: readCacheMark(block),
      };
    default:
      return undefined;
  }
}

function proofOf(value: unknown, own: Omit<Proof, 'value'>): Proof | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : readProof(text, own);
}

function plainPart(block: JsonObject): TextPart | ImagePart | FilePart | undefined {
  const cache = readCacheMark(block);
  if (block['type'] === 'text') {
    const text = textOf(block['text']);
    return text === undefined ? undefined : { type: 'text', text, cache };
  }
  const source = fileSource(objectOf(block['source']));
  if (source === undefined) return undefined;
  if (block['type'] === 'image') return { type: 'image', source, cache };
  return block['type'] === 'document'
    ? { type: 'file', name: textOf(block['title']), source, cache }
    : undefined;
}

function fileSource(source: JsonObject): FileSource | undefined {
  const url = textOf(source['url']);
  const data = textOf(source['data']);
  if (source['type'] === 'url' && url !== undefined) return { url };
  if (data === undefined) return undefined;
  const mediaType = textOf(source['media_type']) ?? 'application/octet-stream';
  if (source['type'] === 'text')
    return { mediaType: 'text/plain', base64: Buffer.from(data).toString('base64') };
  return source['type'] === 'base64' ? { mediaType, base64: data } : undefined;
}

function resultContent(content: unknown, unsupported: string[]): ResultPart[] {
  return contentParts(content, unsupported).flatMap((part) => {
    if (part.type === 'text' || part.type === 'image' || part.type === 'file') return [part];
    unsupported.push(`messages.content.tool_result.${part.type}`);
    return [];
  });
}

function requiredText(block: JsonObject, field: string): string {
  const text = textOf(block[field]);
  if (text === undefined)
    throw new InvalidRequest(`A ${String(block['type'])} block needs ${field}.`, 'messages');
  return text;
}
