import { garbled, HELD_BYTES_MAX } from '../../answer-errors.ts';
import type { AnswerEvent, Citation, FinishReason, VendorCall } from '../../conversation.ts';
import type { Lost } from '../../format.ts';
import { type JsonObject, listOf, objectOf } from '../../json.ts';
import type { Proof } from '../../proof.ts';
import type { Usage } from '../../usage.ts';
import {
  added,
  CallItem,
  done,
  type ItemStatus,
  MessageItem,
  type OutputItem,
  ReasoningItem,
  type ResponseEvent,
} from './output-items.ts';
import { writeEncrypted } from './proofs.ts';
import { responseObject } from './response-object.ts';
import { writeFinish } from './response-status.ts';
import { writeUsage } from './usage-report.ts';
import { imageItem, vendorCallItem, type WholeItem } from './whole-items.ts';

interface OpenItem<Item extends OutputItem = OutputItem> {
  outputIndex: number;
  item: Item;
}

/** The vendor's limit for an id is 64 characters. */
const ANSWER_ID_MAX = 40;

/**
 * Builds a response item by item, telling the events by which a client builds the same. Messages and thoughts follow
 * each other; calls stay open to the end, because fragments of parallel ones may come in turns. The end repeats the
 * whole answer, which is why it is kept.
 */
export class ResponseBuilder {
  readonly #request: JsonObject;
  readonly #lost: Lost;
  readonly #customTools: ReadonlySet<unknown>;
  readonly #createdAt = Math.floor(Date.now() / 1000);
  #answerId = '';
  #model = '';
  #usage: Usage | undefined;
  #isStarted = false;
  #isRefused = false;
  #textLength = 0;
  #heldCharacters = 0;
  readonly #output: Record<string, unknown>[] = [];
  #itemCount = 0;
  #current: OpenItem<MessageItem> | OpenItem<ReasoningItem> | undefined;
  readonly #calls = new Map<number, OpenItem<CallItem>>();
  /** As clients of whole answers get it. */
  response: Record<string, unknown> = {};

  constructor(request: JsonObject, lost: Lost) {
    this.#request = request;
    this.#lost = lost;
    const tools = listOf(request['tools']).map(objectOf);
    this.#customTools = new Set(tools.flatMap((tool) => (tool['type'] === 'custom' ? [tool['name']] : [])));
  }

  push(event: AnswerEvent): ResponseEvent[] {
    if ((event.choice ?? 0) > 0) {
      this.#lost.add('n');
      return [];
    }
    if ('text' in event) this.#hold(event.text);
    switch (event.type) {
      case 'start':
        return this.#start(event.id, event.model);
      case 'usage':
        this.#usage = event.usage;
        return [];
      case 'text': {
        const [message, events] = this.#message();
        this.#textLength += event.text.length;
        return [...events, ...message.text(event.text)];
      }
      case 'refusal': {
        const [message, events] = this.#message();
        this.#isRefused = true;
        return [...events, ...message.refusal(event.text)];
      }
      case 'logprobs': {
        if (!this.#asksForLogprobs) return [];
        const [message, events] = this.#message();
        return [...events, ...message.logprobs(event.tokens)];
      }
      case 'reasoning': {
        const [thought, events] = this.#thought();
        return [...events, ...thought.text(event.text)];
      }
      case 'reasoning-proof':
        return this.#proof(event.proof);
      case 'tool-call':
        return this.#startCall(event);
      case 'tool-arguments':
        return this.#calls.get(event.index)?.item.arguments(event.text) ?? [];
      case 'finish':
        return this.#finish(event.reason);
      case 'citation':
        return this.#citation(event.citation);
      case 'vendor-call':
        return this.#vendorCall(event.call);
      case 'image':
        return this.#image(event.mediaType, event.data);
      case 'audio':
        this.#lost.add(event.type);
        return [];
    }
  }

  get #asksForLogprobs(): boolean {
    const isAsked = listOf(this.#request['include']).includes('message.output_text.logprobs');
    return isAsked || (this.#request['top_logprobs'] ?? 0) !== 0;
  }

  #citation(citation: Citation): ResponseEvent[] {
    const message = this.#current?.item;
    // A file that only its vendor has is no address; and what is done cannot be added to.
    if (citation.url !== undefined && message?.kind === 'message') return message.citation(citation);
    this.#lost.add('citation');
    return [];
  }

  #vendorCall(call: VendorCall): ResponseEvent[] {
    const prefix = call.tool === 'code-execution' ? 'ci' : 'ws';
    this.#hold(call.input + (call.output ?? ''));
    return this.#whole(prefix, (itemId, outputIndex) => vendorCallItem(call, itemId, outputIndex));
  }

  #image(mediaType: string, data: string): ResponseEvent[] {
    this.#hold(data);
    return this.#whole('ig', (itemId, outputIndex) => imageItem(mediaType, data, itemId, outputIndex));
  }

  #whole(prefix: string, make: (itemId: string, outputIndex: number) => WholeItem): ResponseEvent[] {
    const before = [...this.#start('', ''), ...this.#closeCurrent()];
    const outputIndex = this.#place();
    const { item, events } = make(this.#itemId(prefix, outputIndex), outputIndex);
    this.#output[outputIndex] = item;
    return [...before, ...events];
  }

  /** Some upstreams start twice; one answer keeps its first id. */
  #start(id: string, model: string): ResponseEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    const plain = id.replace(/^(resp|msg|chatcmpl)[_-]/, '').replaceAll(/[^a-zA-Z0-9_-]/g, '');
    this.#answerId = plain === '' ? '0' : plain.slice(0, ANSWER_ID_MAX);
    this.#model = model;
    const response = this.#responseAs({ status: 'in_progress' });
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ];
  }

  #message(): [MessageItem, ResponseEvent[]] {
    if (this.#current?.item.kind === 'message') return [this.#current.item, []];
    const before = [...this.#start('', ''), ...this.#closeCurrent()];
    const outputIndex = this.#place();
    const place = { item_id: this.#itemId('msg', outputIndex), output_index: outputIndex };
    const item = new MessageItem(place, this.#textLength);
    this.#current = { outputIndex, item };
    return [item, [...before, added(outputIndex, item.json('in_progress'))]];
  }

  /** @param itemId of the vendor that wants it back */
  #thought(itemId?: string): [ReasoningItem, ResponseEvent[]] {
    if (this.#current?.item.kind === 'reasoning') return [this.#current.item, []];
    const before = [...this.#start('', ''), ...this.#closeCurrent()];
    const outputIndex = this.#place();
    const item_id = itemId ?? this.#itemId('rs', outputIndex);
    const item = new ReasoningItem({ item_id, output_index: outputIndex });
    this.#current = { outputIndex, item };
    return [item, [...before, added(outputIndex, item.json('in_progress'))]];
  }

  /** It closes its thought; what is thought after it is another. */
  #proof(proof: Proof): ResponseEvent[] {
    const { itemId, encrypted } = writeEncrypted(proof);
    this.#hold(encrypted);
    const [thought, events] = this.#thought(itemId);
    thought.encrypted = encrypted;
    return [...events, ...this.#closeCurrent()];
  }

  #startCall({ index, callId, name }: Extract<AnswerEvent, { type: 'tool-call' }>): ResponseEvent[] {
    if (this.#calls.has(index)) return [];
    const before = [...this.#start('', ''), ...this.#closeCurrent()];
    const outputIndex = this.#place();
    const isCustom = this.#customTools.has(name);
    const item_id = this.#itemId(isCustom ? 'ctc' : 'fc', outputIndex);
    const item = new CallItem({ item_id, output_index: outputIndex }, { callId, name, isCustom });
    this.#calls.set(index, { outputIndex, item });
    return [...before, added(outputIndex, item.json('in_progress'))];
  }

  #closeCurrent(status: ItemStatus = 'completed'): ResponseEvent[] {
    const current = this.#current;
    this.#current = undefined;
    return current === undefined ? [] : this.#close(current, status);
  }

  #close({ outputIndex, item }: OpenItem, status: ItemStatus): ResponseEvent[] {
    const rest = item.close();
    const json = item.json(status);
    this.#output[outputIndex] = json;
    return [...rest, done(outputIndex, json)];
  }

  #finish(reason: FinishReason): ResponseEvent[] {
    const events = this.#start('', '');
    const ending = writeFinish(reason, this.#isRefused);
    // Where the answer was cut, its last item is not complete.
    const last = ending.status === 'completed' ? 'completed' : 'incomplete';
    const open: OpenItem[] = [
      ...this.#calls.values(),
      ...(this.#current === undefined ? [] : [this.#current]),
    ];
    open.sort((a, b) => a.outputIndex - b.outputIndex);
    for (const item of open)
      events.push(...this.#close(item, item.outputIndex === this.#itemCount - 1 ? last : 'completed'));
    const isComplete = ending.status === 'completed';
    const completed_at = isComplete ? Math.floor(Date.now() / 1000) : null;
    const usage = writeUsage(this.#usage);
    this.response = this.#responseAs({ ...ending, completed_at, output: this.#output, usage });
    events.push({ type: `response.${ending.status}`, response: this.response });
    return events;
  }

  #responseAs(fields: Record<string, unknown>): Record<string, unknown> {
    return {
      id: `resp_${this.#answerId}`,
      created_at: this.#createdAt,
      completed_at: null,
      model: this.#model,
      error: null,
      incomplete_details: null,
      output: [],
      usage: null,
      ...responseObject(this.#request),
      ...fields,
    };
  }

  #place(): number {
    return this.#itemCount++;
  }

  #itemId(prefix: string, outputIndex: number): string {
    return `${prefix}_${this.#answerId}_${outputIndex}`;
  }

  /** @throws UpstreamError */
  #hold(text: string): void {
    this.#heldCharacters += text.length;
    if (this.#heldCharacters > HELD_BYTES_MAX) throw garbled('The upstream sent an answer without end.');
  }
}
