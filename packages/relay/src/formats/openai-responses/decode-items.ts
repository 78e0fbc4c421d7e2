import type { Part, TextPart, ToolResultPart, Turn } from '../../conversation.ts';
import { InvalidRequest } from '../../invalid-request.ts';
import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { addTurn } from '../../paired-turns.ts';
import { argumentsOfCustom } from '../openai-custom-tools.ts';
import { decodeContent } from './decode-content.ts';
import { readEncrypted } from './proofs.ts';
import { readVendorCall } from './vendor-calls.ts';

interface DecodedInput {
  system: TextPart[];
  turns: Turn[];
}

/**
 * Items one after the other become turns: what the model made (messages, thoughts, calls) and what it was given.
 * `instructions`, and system and developer messages at the head, become the system prompt; later ones stay where they
 * are.
 */
export function decodeInput(body: JsonObject, unsupported: string[]): DecodedInput {
  const { input, instructions } = body;
  const system: TextPart[] = textParts(instructions, unsupported);
  const turns: Turn[] = [];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
  for (const item of items) {
    if (!isObject(item)) throw new InvalidRequest('Each item of input must be an object.', 'input');
    const turn = decodeItem(item, unsupported);
    if (turn === undefined) unsupported.push(`input.${textOf(item['type']) ?? 'unknown'}`);
    else if (turn.role === 'system' && turns.length === 0) system.push(...turn.parts.filter(isText));
    else addTurn(turns, turn);
  }
  return { system, turns };
}

function isText(part: Part): part is TextPart {
  return part.type === 'text';
}

function textParts(content: unknown, unsupported: string[]): TextPart[] {
  return decodeContent(content, unsupported).filter(isText);
}

/** Undefined for kinds that no neutral part covers. */
function decodeItem(item: JsonObject, unsupported: string[]): Turn | undefined {
  switch (item['type'] ?? 'message') {
    case 'message':
      return { role: roleOf(item), parts: decodeContent(item['content'], unsupported) };
    case 'reasoning':
      return { role: 'assistant', parts: [thought(item)] };
    case 'function_call':
      return assistantCall(item, textOf(item['arguments']) ?? '{}');
    case 'custom_tool_call':
      return assistantCall(item, argumentsOfCustom(item['input']));
    case 'function_call_output':
    case 'custom_tool_call_output':
      return { role: 'user', parts: [toolResult(item, unsupported)] };
    case 'image_generation_call':
      return { role: 'assistant', parts: madeImage(item) };
    default: {
      const call = readVendorCall(item);
      return call === undefined ? undefined : { role: 'assistant', parts: [{ type: 'vendor-call', call }] };
    }
  }
}

function roleOf(message: JsonObject): Turn['role'] {
  const { role } = message;
  if (role === 'user' || role === 'assistant') return role;
  if (role === 'system' || role === 'developer') return 'system';
  throw new InvalidRequest('The role of a message is not known.', 'input');
}

/** The counterpart of what the answer encoder wrote: the text in parts, the proof in `encrypted_content`. */
function thought(item: JsonObject): Part {
  const texts = [...listOf(item['summary']), ...listOf(item['content'])].flatMap(
    (part) => textOf(objectOf(part)['text']) ?? [],
  );
  const encrypted = textOf(item['encrypted_content']);
  const proof = encrypted === undefined ? undefined : readEncrypted(encrypted, textOf(item['id']) ?? '');
  return { type: 'reasoning', text: texts.join('\n\n'), proof };
}

function assistantCall(item: JsonObject, text: string): Turn {
  const part: Part = {
    type: 'tool-call',
    callId: textOf(item['call_id']) ?? '',
    name: requiredText(item, 'name'),
    arguments: text,
  };
  return { role: 'assistant', parts: [part] };
}

function toolResult(item: JsonObject, unsupported: string[]): ToolResultPart {
  const content = decodeContent(item['output'], unsupported).filter(
    (part) => part.type === 'text' || part.type === 'image' || part.type === 'file',
  );
  return { type: 'tool-result', callId: textOf(item['call_id']) ?? '', content };
}

function madeImage(item: JsonObject): Part[] {
  const base64 = textOf(item['result']);
  if (base64 === undefined) return [];
  const format = textOf(item['output_format']) ?? 'png';
  return [{ type: 'image', source: { mediaType: `image/${format}`, base64 } }];
}

function requiredText(item: JsonObject, field: string): string {
  const text = textOf(item[field]);
  if (text === undefined) throw new InvalidRequest(`A ${String(item['type'])} needs ${field}.`, 'input');
  return text;
}
