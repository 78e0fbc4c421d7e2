import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { ToolResultPart } from '../../../model/conversation.ts';
import { callKinds } from './client-call-kinds.ts';
import { type ClientTool, ClientTools, isNamed } from './client-tools.ts';
import { decodeContent } from './decoders/decode-content.ts';
import { type ItemPosition, type ItemStatus, type OutputEvent, type OutputItem } from './response-object.ts';

/** Fields of a tool that its calls need. */
export type CalledTool = Pick<ClientTool, 'kind' | 'namespace' | 'name' | 'declaration'>;

/** Call of a client's tool, in the form in which the client declared the tool. */
export class CallItem implements OutputItem {
  readonly kind = 'call';
  readonly #place: ItemPosition;
  readonly #tool: CalledTool;
  readonly #callId: string;
  #text = '';

  /** @param callId id of the upstream, which links the call with its output */
  constructor(place: ItemPosition, tool: CalledTool, callId: string) {
    this.#place = place;
    this.#tool = tool;
    this.#callId = callId;
  }

  json(status: ItemStatus): Record<string, unknown> {
    const { kind, namespace, name, declaration } = this.#tool;
    const call = callKinds[kind];
    return {
      id: this.#place.item_id,
      type: call.itemType,
      // A patch is the only call without a status for truncation.
      status: kind === 'apply_patch' && status === 'incomplete' ? 'in_progress' : status,
      call_id: this.#callId,
      ...(isNamed(kind) && { name, ...(namespace !== undefined && { namespace }) }),
      ...call.decodeFields(this.#text, declaration),
    };
  }

  /** Adds arguments. Only functions stream them; others wait until their JSON is complete. */
  arguments(text: string): OutputEvent[] {
    this.#text += text;
    if (this.#tool.kind !== 'function') return [];
    return [{ type: 'response.function_call_arguments.delta', ...this.#place, delta: text }];
  }

  close(): OutputEvent[] {
    const { kind, name } = this.#tool;
    if (kind !== 'function') return callKinds[kind].listEvents?.(this.#text, this.#place) ?? [];
    const missing = this.#text === '' ? this.arguments('{}') : [];
    const whole = { type: 'response.function_call_arguments.done', ...this.#place, name };
    return [...missing, { ...whole, arguments: this.#text }];
  }
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
export function readCallOutput(item: JsonObject, own: ClientTools, unsupported: string[]): Output | undefined {
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
