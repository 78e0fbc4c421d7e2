import { type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import type { Conversation, TextPart } from '../../../../model/conversation.ts';
import { InvalidRequest } from '../../../../model/invalid-request.ts';
import { field, unknownFields } from '../field.ts';
import { decodeConfig } from './decode-config.ts';
import { decodeContents } from './decode-contents.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';

const covered = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'toolConfig',
  'generationConfig',
]); // prettier-ignore

/** @throws InvalidRequest */
export function decodeRequest(body: JsonObject): Conversation {
  if (field(body, 'cachedContent') != null) {
    throw new InvalidRequest(
      'cachedContent is stored at Google and cannot be used with this model.',
      'cachedContent',
    );
  }
  const unsupported = unknownFields(body, covered);
  const tools = decodeTools(listOf(body['tools']), unsupported);
  const choice = decodeToolChoice(objectOf(field(body, 'toolConfig')), tools.tools, unsupported);
  return {
    system: decodeSystem(field(body, 'systemInstruction'), unsupported),
    turns: decodeContents(listOf(body['contents']), unsupported),
    vendorTools: tools.vendorTools,
    ...choice,
    ...decodeConfig(objectOf(field(body, 'generationConfig')), unsupported),
    unsupported,
  };
}

/** Google's libraries write a content; the API takes a text, a part or a list of them as well. */
function decodeSystem(instruction: unknown, unsupported: string[]): TextPart[] {
  const text = textOf(instruction);
  if (text !== undefined) return [{ type: 'text', text }];
  const parts = Array.isArray(instruction)
    ? instruction
    : (objectOf(instruction)['parts'] ?? [instruction ?? {}]);
  return (Array.isArray(parts) ? parts : [parts]).flatMap((value: unknown) => {
    const part = objectOf(value);
    const text = textOf(value) ?? textOf(part['text']);
    if (text !== undefined) return [{ type: 'text' as const, text }];
    for (const name of unknownFields(part, new Set(['text']))) unsupported.push(`systemInstruction.${name}`);
    return [];
  });
}
