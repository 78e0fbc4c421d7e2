import { decodeEntries } from '../../../../exchange/check-request-fields.ts';
import { describeValue } from '../../../../json/describe-value.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import type { Part, TextPart, ToolResultPart, Turn } from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { addTurn } from '../../../../translate/turns-and-instructions.ts';
import { callKinds, getCallKind } from '../client-call-kinds.ts';
import { ClientTools, isNamed } from '../client-tools.ts';
import { readVendorCall } from '../hosted-tool-calls.ts';
import { readEncrypted } from '../message-and-reasoning-items.ts';
import { decodeContent } from './decode-content.ts';

interface DecodedInput {
  system: TextPart[];
  turns: Turn[];
}

/**
 * Decodes consecutive items to turns of the model (messages, thoughts, calls) and of the user. `instructions`, and
 * leading system and developer messages, become the system prompt; later ones stay in place.
 */
export function decodeInput(body: JsonObject, own: ClientTools, unsupported: string[]): DecodedInput {
  const { input, instructions } = body;
  const system: TextPart[] = textParts(instructions, unsupported);
  const turns: Turn[] = [];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : listOf(input);
  decodeEntries('input', items, (item) => {
    // The tools in these items are declared with the others.
    if (item['type'] === 'additional_tools') return;
    const turn = decodeToolItem(item, own, unsupported) ?? decodeItem(item, unsupported);
    if (turn === undefined) unsupported.push(`input.${textOf(item['type']) ?? 'unknown'}`);
    else if (turn.role === 'system' && turns.length === 0) system.push(...turn.parts.filter(isText));
    else addTurn(turns, turn);
  });
  return { system, turns };
}

function isText(part: Part): part is TextPart {
  return part.type === 'text';
}

function textParts(content: unknown, unsupported: string[]): TextPart[] {
  return decodeContent(content, unsupported).filter(isText);
}

/** Decodes an item; returns undefined for kinds without a neutral form. */
function decodeItem(item: JsonObject, unsupported: string[]): Turn | undefined {
  switch (item['type'] ?? 'message') {
    case 'message':
      return { role: roleOf(item), parts: decodeContent(item['content'], unsupported) };
    case 'reasoning':
      return { role: 'assistant', parts: [decodeReasoning(item)] };
    case 'image_generation_call':
      return { role: 'assistant', parts: decodeGeneratedImage(item) };
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
  throw new InvalidRequestError(`The role is ${describeValue(role)}. Use user, assistant, system or developer.`);
}

/** Decodes reasoning as the response encoder wrote it: the text in parts, the signature in `encrypted_content`. */
function decodeReasoning(item: JsonObject): Part {
  const texts = [...listOf(item['summary']), ...listOf(item['content'])].flatMap(
    (part) => textOf(objectOf(part)['text']) ?? [],
  );
  const encrypted = textOf(item['encrypted_content']);
  const signature = encrypted === undefined ? undefined : readEncrypted(encrypted, textOf(item['id']) ?? '');
  return { type: 'reasoning', text: texts.join('\n\n'), signature };
}

/** Decodes calls of the client's tools, and their results. */
function decodeToolItem(item: JsonObject, own: ClientTools, unsupported: string[]): Turn | undefined {
  const kind = getCallKind(item);
  if (kind !== undefined) {
    const name = isNamed(kind) ? requiredText(item, 'name') : kind;
    const reference = { kind, namespace: textOf(item['namespace']), name };
    const part: Part = {
      type: 'tool-call',
      callId: readCallId(item),
      name: own.getFunctionName(reference),
      arguments: callKinds[kind].encodeArguments(item),
    };
    return { role: 'assistant', parts: [part] };
  }
  const output = readCallOutput(item, own, unsupported);
  if (output === undefined) return undefined;
  return { role: 'user', parts: [{ type: 'tool-result', callId: readCallId(item), ...output }] };
}

/** Returns the call's id. Calls of the older local shell and their results may have only the item's id. */
function readCallId(item: JsonObject): string {
  const isLocalShell = textOf(item['type'])?.startsWith('local_shell_call') === true;
  return textOf(item['call_id']) ?? (isLocalShell ? textOf(item['id']) : undefined) ?? '';
}

function decodeGeneratedImage(item: JsonObject): Part[] {
  const base64 = textOf(item['result']);
  if (base64 === undefined) return [];
  const format = textOf(item['output_format']) ?? 'png';
  return [{ type: 'image', source: { mediaType: `image/${format}`, base64 } }];
}

function requiredText(item: JsonObject, field: string): string {
  const text = textOf(item[field]);
  if (text === undefined) throw new InvalidRequestError(`A ${textOf(item['type'])} has no ${field}. Add one.`);
  return text;
}

type Output = Omit<ToolResultPart, 'type' | 'callId'>;
type ReadOutput = (item: JsonObject, own: ClientTools, unsupported: string[]) => Output;

const readers: ReadonlyMap<unknown, ReadOutput> = new Map<string, ReadOutput>([
  ['function_call_output', contentOutput],
  ['custom_tool_call_output', contentOutput],
  ['local_shell_call_output', contentOutput],
  ['shell_call_output', (item) => textOutput(JSON.stringify(listOf(item['output'])))],
  ['apply_patch_call_output', patchOutput],
  ['computer_call_output', screenOutput],
  ['tool_search_output', (item, own) => ({ content: [], foundTools: foundTools(item, own) })],
]);

/** Reads a result; returns undefined for items that are not a result of a client's tool. */
function readCallOutput(item: JsonObject, own: ClientTools, unsupported: string[]): Output | undefined {
  return readers.get(item['type'])?.(item, own, unsupported);
}

function textOutput(text: string): Output {
  return { content: [{ type: 'text', text }] };
}

function contentOutput({ output }: JsonObject, _own: ClientTools, unsupported: string[]): Output {
  const content = decodeContent(output, unsupported).filter(
    (part) => part.type === 'text' || part.type === 'image' || part.type === 'file',
  );
  return { content };
}

function patchOutput({ output, status }: JsonObject): Output {
  const said = textOf(output) ?? textOf(status) ?? 'completed';
  return { ...textOutput(said), ...(status === 'failed' && { isError: true }) };
}

function screenOutput({ output }: JsonObject, own: ClientTools, unsupported: string[]): Output {
  return contentOutput({ output: [{ ...objectOf(output), type: 'input_image' }] }, own, unsupported);
}

function foundTools(item: JsonObject, own: ClientTools): string[] {
  return new ClientTools({ tools: item['tools'] }).all.map((tool) => own.getFunctionName(tool));
}
