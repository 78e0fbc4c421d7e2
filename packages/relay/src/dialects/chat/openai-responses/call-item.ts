import { callKinds } from './call-kinds.ts';
import { type ClientTool, isNamed } from './client-tools.ts';
import type { ItemPosition, ItemStatus, OutputEvent, OutputItem } from './encoders/output-item.ts';

/** A tool as far as its calls have to know it. */
export type CalledTool = Pick<ClientTool, 'kind' | 'namespace' | 'name' | 'declaration'>;

/** A call of one of the client's tools, in the shape in which the client has declared it. */
export class CallItem implements OutputItem {
  readonly kind = 'call';
  readonly #place: ItemPosition;
  readonly #tool: CalledTool;
  readonly #callId: string;
  #text = '';

  /** @param callId of the upstream: it pairs the call with its output */
  constructor(place: ItemPosition, tool: CalledTool, callId: string) {
    this.#place = place;
    this.#tool = tool;
    this.#callId = callId;
  }

  json(status: ItemStatus): Record<string, unknown> {
    const { kind, namespace, name, declaration: declared } = this.#tool;
    const call = callKinds[kind];
    return {
      id: this.#place.item_id,
      type: call.itemType,
      // A patch is the only call that has no word for being cut off.
      status: kind === 'apply_patch' && status === 'incomplete' ? 'in_progress' : status,
      call_id: this.#callId,
      ...(isNamed(kind) && { name, ...(namespace !== undefined && { namespace }) }),
      ...call.decodeFields(this.#text, declared),
    };
  }

  /** Arguments of other kinds than functions are known when their JSON is complete. */
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
