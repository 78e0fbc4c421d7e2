import { checkItemCount } from '../../../../errors/response-limits.ts';
import { type JsonObject, listOf } from '../../../../json/json.ts';
import type { Citation, ResponseEvent, TokenLogprob, VendorCall } from '../../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../../model/dialect.ts';
import type { ReasoningSignature } from '../../../../model/reasoning-signature.ts';
import { type CalledTool, CallItem } from '../client-call-item.ts';
import { callKinds } from '../client-call-kinds.ts';
import { type ClientTools, readClientTools } from '../client-tools.ts';
import { type CompleteItem, createImageItem, createVendorCallItem } from '../hosted-tool-calls.ts';
import { MessageItem, ReasoningItem, writeEncrypted } from '../message-and-reasoning-items.ts';
import {
  type ItemPosition,
  type ItemStatus,
  itemAdded,
  itemDone,
  type OutputEvent,
  type OutputItem,
} from '../response-object-and-items.ts';

export type ContentEvent = Exclude<ResponseEvent, { type: 'start' | 'usage' | 'finish' }>;

interface OpenItem<Item extends OutputItem = OutputItem> {
  outputIndex: number;
  item: Item;
}

/**
 * Builder of the output items. Messages and thoughts are sequential; calls stay open to the end, because fragments of
 * parallel calls may be interleaved.
 */
export class OutputBuilder {
  isRefused = false;
  /** Completed items by position. */
  readonly items: Record<string, unknown>[] = [];
  readonly #answerId: string;
  readonly #lost: UnsupportedFields;
  readonly #own: ClientTools;
  readonly #asksForLogprobs: boolean;
  #textLength = 0;
  #count = 0;
  #current: OpenItem<MessageItem> | OpenItem<ReasoningItem> | undefined;
  readonly #calls = new Map<number, OpenItem<CallItem>>();

  /** @param request client's request including the earlier turns, which may declare tools */
  constructor(answerId: string, request: JsonObject, lost: UnsupportedFields) {
    this.#answerId = answerId;
    this.#lost = lost;
    this.#own = readClientTools(request);
    this.#asksForLogprobs =
      listOf(request['include']).includes('message.output_text.logprobs') || (request['top_logprobs'] ?? 0) !== 0;
  }

  push(event: ContentEvent): OutputEvent[] {
    switch (event.type) {
      case 'text':
      case 'refusal':
        return this.#say(event.type, event.text);
      case 'logprobs':
        return this.#logprobs(event.tokens);
      case 'citation':
        return this.#citation(event.citation);
      case 'reasoning': {
        const [thought, events] = this.#thought();
        return [...events, ...thought.text(event.text)];
      }
      case 'reasoning-proof':
        return this.#proof(event.signature);
      case 'tool-call':
        return this.#startCall(event);
      case 'tool-arguments':
        return this.#calls.get(event.index)?.item.arguments(event.text) ?? [];
      case 'vendor-call':
        return this.#vendorCall(event.call);
      case 'image':
        return this.#whole('ig', (place) => createImageItem(event.mediaType, event.data, place));
      case 'audio':
        this.#lost.add(event.type);
        return [];
    }
  }

  /** @param last status of the last item */
  end(last: ItemStatus): OutputEvent[] {
    const open: OpenItem[] = [...this.#calls.values(), ...(this.#current === undefined ? [] : [this.#current])];
    return open
      .toSorted((a, b) => a.outputIndex - b.outputIndex)
      .flatMap((item) => this.#close(item, item.outputIndex === this.#count - 1 ? last : 'completed'));
  }

  #say(kind: 'text' | 'refusal', text: string): OutputEvent[] {
    const [message, events] = this.#message();
    if (kind === 'text') this.#textLength += text.length;
    else this.isRefused = true;
    return [...events, ...message[kind](text)];
  }

  #logprobs(tokens: readonly TokenLogprob[]): OutputEvent[] {
    if (!this.#asksForLogprobs) return [];
    const [message, events] = this.#message();
    return [...events, ...message.logprobs(tokens)];
  }

  #citation(citation: Citation): OutputEvent[] {
    const message = this.#current?.item;
    const isNamed = citation.url !== undefined || citation.title !== undefined;
    // A completed item cannot be extended.
    if (isNamed && message?.kind === 'message') return message.citation(citation);
    this.#lost.add('citation');
    return [];
  }

  #message(): [MessageItem, OutputEvent[]] {
    if (this.#current?.item.kind === 'message') return [this.#current.item, []];
    const closed = this.#closeCurrent();
    const place = this.#place('msg');
    const item = new MessageItem(place, this.#textLength);
    this.#current = { outputIndex: place.output_index, item };
    return [item, [...closed, itemAdded(place.output_index, item.json('in_progress'))]];
  }

  /** @param itemId id that the vendor requires in later turns */
  #thought(itemId?: string): [ReasoningItem, OutputEvent[]] {
    if (this.#current?.item.kind === 'reasoning') return [this.#current.item, []];
    const closed = this.#closeCurrent();
    const place = this.#place('rs');
    const item = new ReasoningItem(itemId === undefined ? place : { ...place, item_id: itemId });
    this.#current = { outputIndex: place.output_index, item };
    return [item, [...closed, itemAdded(place.output_index, item.json('in_progress'))]];
  }

  /** Adds a signature, which ends its thought; later thinking starts another one. */
  #proof(signature: ReasoningSignature): OutputEvent[] {
    const { itemId, encrypted } = writeEncrypted(signature);
    const [thought, events] = this.#thought(itemId);
    thought.encrypted = encrypted;
    return [...events, ...this.#closeCurrent()];
  }

  #startCall({ index, callId, name }: Extract<ResponseEvent, { type: 'tool-call' }>): OutputEvent[] {
    if (this.#calls.has(index)) return [];
    const closed = this.#closeCurrent();
    const tool: CalledTool = this.#own.findByFunctionName(name) ?? { kind: 'function', name, declaration: {} };
    const place = this.#place(callKinds[tool.kind].idPrefix);
    const item = new CallItem(place, tool, callId);
    this.#calls.set(index, { outputIndex: place.output_index, item });
    return [...closed, itemAdded(place.output_index, item.json('in_progress'))];
  }

  #vendorCall(call: VendorCall): OutputEvent[] {
    const prefix = call.tool === 'code-execution' ? 'ci' : 'ws';
    return this.#whole(prefix, (place) => createVendorCallItem(call, place));
  }

  #whole(prefix: string, make: (place: ItemPosition) => CompleteItem): OutputEvent[] {
    const closed = this.#closeCurrent();
    const place = this.#place(prefix);
    const { item, events } = make(place);
    this.items[place.output_index] = item;
    return [...closed, ...events];
  }

  #closeCurrent(): OutputEvent[] {
    const current = this.#current;
    this.#current = undefined;
    return current === undefined ? [] : this.#close(current, 'completed');
  }

  #close({ outputIndex, item }: OpenItem, status: ItemStatus): OutputEvent[] {
    const rest = item.close();
    const json = item.json(status);
    this.items[outputIndex] = json;
    return [...rest, itemDone(outputIndex, json)];
  }

  /** @throws UpstreamError `garbled` when the response has too many items */
  #place(prefix: string): ItemPosition {
    const output_index = this.#count;
    this.#count++;
    checkItemCount(this.#count);
    return { item_id: `${prefix}_${this.#answerId}_${output_index}`, output_index };
  }
}
