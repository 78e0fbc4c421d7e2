import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { ToolResultPart } from '../../../model/conversation.ts';
import { ClientTools } from './client-tools.ts';
import { decodeContent } from './decoders/decode-content.ts';

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

/** Returns undefined for items that are no result of a client's tool. */
export function readCallOutput(
  item: JsonObject,
  own: ClientTools,
  unsupported: string[],
): Output | undefined {
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
