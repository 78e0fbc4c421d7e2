import { callKinds } from './client-call-kinds.ts';
import { type ClientTool, isNamed } from './client-tools.ts';
import { type ItemPosition, type ItemStatus, type OutputEvent, type OutputItem } from './response-object-and-items.ts';

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
