import { checkItemCount } from '../../../../errors/response-limits.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamDecoder, UnsupportedFields } from '../../../../model/dialect.ts';
import type { ReasoningSignature } from '../../../../model/reasoning-signature.ts';
import { createId, startEvent } from '../../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { readArguments } from '../../../../translate/tool-input.ts';
import { type OpenBlock, OpenText, type OpenToolCall, OpenVendorCall } from '../open-content-blocks.ts';
import { ServerToolCalls } from '../server-tool-calls.ts';
import { readStopReason } from '../stop-reasons.ts';
import { readRedacted, readSignature } from '../thought-filter-and-signatures.ts';
import { UsageReport } from '../usage-report.ts';

const NO_ARGUMENTS = '{}';

export function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new MessageDecoder(lost);
}

/** Decodes a non-streaming response as the equivalent stream. */
export function decodeResponse(body: unknown, lost: UnsupportedFields): ResponseEvent[] {
  const answer = objectOf(body);
  const decoder = new MessageDecoder(lost);
  const events = decoder.push({ type: 'message_start', message: answer });
  for (const [index, block] of listOf(answer['content']).entries()) {
    for (const event of decoder.push({ type: 'content_block_start', index, content_block: block })) events.push(event);
    for (const event of decoder.push({ type: 'content_block_stop', index })) events.push(event);
  }
  events.push(...decoder.push({ type: 'message_delta', delta: answer, usage: answer['usage'] }));
  return [...events, ...decoder.push({ type: 'message_stop' })];
}

class MessageDecoder implements StreamDecoder {
  readonly #report = new UsageReport();
  /** Open blocks by block index. */
  readonly #open = new Map<unknown, OpenBlock>();
  readonly #vendorCalls: ServerToolCalls;
  #toolCalls = 0;
  /** Length of the response's text so far. */
  #length = 0;
  #finish: ResponseEvent | undefined;
  #hasBlocks = false;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
    this.#vendorCalls = new ServerToolCalls(lost);
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  end(): ResponseEvent[] {
    return [];
  }

  push(event: JsonObject): ResponseEvent[] {
    this.#hasBlocks ||= event['content_block'] !== undefined || event['type'] === 'content_block_delta';
    switch (event['type']) {
      case 'message_start':
        return this.#start(objectOf(event['message']));
      case 'content_block_start':
        return this.#startBlock(event['index'], objectOf(event['content_block']));
      case 'content_block_delta':
        return this.#delta(event['index'], objectOf(event['delta']));
      case 'content_block_stop':
        return this.#stopBlock(event['index']);
      case 'message_delta':
        this.#report.add(event['usage']);
        return this.#noteFinish(objectOf(event['delta']));
      case 'message_stop':
        return this.#stop();
      default:
        return [];
    }
  }

  /** Recordings show upstreams that send `message_start` twice; block indexes restart with the second. */
  #start(message: JsonObject): ResponseEvent[] {
    this.#report.addStart(message['usage']);
    this.#open.clear();
    return [startEvent(message['id'], message['model'])];
  }

  #startBlock(index: unknown, block: JsonObject): ResponseEvent[] {
    checkItemCount(this.#open.size);
    this.#report.addBlock(block);
    switch (block['type']) {
      case 'text':
        this.#open.set(index, new OpenText(block, this.#length, this.#lost));
        return this.#text(block['text']);
      case 'thinking':
        return [...reasoning(block['thinking']), ...signatureEvents(readSignature(block))];
      case 'redacted_thinking':
        return signatureEvents(readRedacted(block));
      case 'tool_use':
        return this.#startToolCall(index, block);
      case 'server_tool_use':
        this.#open.set(index, new OpenVendorCall(block));
        return [];
      default:
        return this.#vendorCalls.addResult(block);
    }
  }

  #startToolCall(index: unknown, block: JsonObject): ResponseEvent[] {
    const name = textOf(block['name']);
    if (name === undefined) {
      this.#lost.add('content.tool_use');
      return [];
    }
    const call: OpenToolCall = { type: 'tool-call', index: this.#toolCalls, hasArguments: false };
    this.#toolCalls++;
    this.#open.set(index, call);
    const start: ResponseEvent = {
      type: 'tool-call',
      index: call.index,
      callId: textOf(block['id']) ?? createId('toolu_'),
      name,
    };
    const input = readArguments(block['input']) ?? NO_ARGUMENTS;
    return input === NO_ARGUMENTS ? [start] : [start, ...toolArguments(call, input)];
  }

  #delta(index: unknown, delta: JsonObject): ResponseEvent[] {
    const open = this.#open.get(index);
    switch (delta['type']) {
      case 'text_delta':
        return this.#text(delta['text']);
      case 'thinking_delta':
        return reasoning(delta['thinking']);
      case 'signature_delta':
        return signatureEvents(readSignature(delta));
      case 'citations_delta':
        if (open?.type === 'text') open.cite(delta['citation']);
        return [];
      case 'input_json_delta': {
        const text = readArguments(delta['partial_json']) ?? '';
        if (open?.type === 'vendor-call') open.add(text);
        return open?.type === 'tool-call' && text !== '' ? toolArguments(open, text) : [];
      }
      default:
        return [];
    }
  }

  #text(value: unknown): ResponseEvent[] {
    const text = textOf(value);
    if (text === undefined) return [];
    this.#length += text.length;
    return [{ type: 'text', text }];
  }

  #stopBlock(index: unknown): ResponseEvent[] {
    const open = this.#open.get(index);
    this.#open.delete(index);
    if (open === undefined) return [];
    if (open.type === 'text') return open.citations(this.#length).map((citation) => ({ type: 'citation', citation }));
    if (open.type === 'vendor-call') return this.#vendorCalls.addCall(open.block);
    // A call without arguments may arrive without any fragment; other dialects require an empty object.
    return open.hasArguments ? [] : toolArguments(open, NO_ARGUMENTS);
  }

  #noteFinish(delta: JsonObject): ResponseEvent[] {
    const reason = textOf(delta['stop_reason']);
    if (reason === undefined) return [];
    const stopSequence = textOf(delta['stop_sequence']);
    this.#finish = { type: 'finish', reason: readStopReason(reason), stopSequence };
    const details = objectOf(delta['stop_details']);
    if (textOf(details['category']) !== undefined) this.#lost.add('stop_details.category');
    const explanation = reason === 'refusal' ? textOf(details['explanation']) : undefined;
    return explanation === undefined ? [] : [{ type: 'refusal', text: explanation }];
  }

  #stop(): ResponseEvent[] {
    // Zeros would tell the client that there were no tokens.
    const usage = this.#report.isReported ? this.usage : undefined;
    const report = usage === undefined ? [] : [{ type: 'usage' as const, usage }];
    const rest = this.#vendorCalls.takeUnfinished();
    const unexplained: ResponseEvent[] = this.#hasBlocks ? [{ type: 'finish', reason: 'stop' }] : [];
    return [...rest, ...report, ...(this.#finish === undefined ? unexplained : [this.#finish])];
  }
}

function reasoning(value: unknown): ResponseEvent[] {
  const text = textOf(value);
  return text === undefined ? [] : [{ type: 'reasoning', text }];
}

function toolArguments(call: OpenToolCall, text: string): ResponseEvent[] {
  call.hasArguments = true;
  return [{ type: 'tool-arguments', index: call.index, text }];
}

function signatureEvents(signature: ReasoningSignature | undefined): ResponseEvent[] {
  return signature === undefined ? [] : [{ type: 'reasoning-proof', signature }];
}
