import { jsonText } from '../../answer-errors.ts';
import type { AnswerEvent, FinishReason } from '../../conversation.ts';
import type { Lost, StreamDecoder } from '../../format.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { readProof } from '../../proof.ts';
import { redacted, signed } from './proofs.ts';
import { UsageReport } from './usage-report.ts';

const finishReasons = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool-calls'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
]);

export function createStreamDecoder(lost: Lost): StreamDecoder {
  return new MessageDecoder(lost);
}

/** A whole answer is read as the stream that would have built it. */
export function decodeAnswer(body: unknown, lost: Lost): AnswerEvent[] {
  const answer = objectOf(body);
  const decoder = new MessageDecoder(lost);
  const events = decoder.push({ type: 'message_start', message: answer });
  for (const [index, block] of listOf(answer['content']).entries()) {
    events.push(...decoder.push({ type: 'content_block_start', index, content_block: block }));
    events.push(...decoder.push({ type: 'content_block_stop', index }));
  }
  events.push(...decoder.push({ type: 'message_delta', delta: answer, usage: answer['usage'] }));
  return [...events, ...decoder.push({ type: 'message_stop' })];
}

interface OpenToolCall {
  index: number;
  hasArguments: boolean;
}

class MessageDecoder implements StreamDecoder {
  readonly #report = new UsageReport();
  /** The tool calls among the open blocks, by the block's index. */
  readonly #open = new Map<unknown, OpenToolCall>();
  #toolCalls = 0;
  #finish: AnswerEvent = { type: 'finish', reason: 'stop' };
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  end(): AnswerEvent[] {
    return [];
  }

  push(event: JsonObject): AnswerEvent[] {
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
      case 'message_stop': {
        const usage = this.#report.usage;
        return usage === undefined ? [this.#finish] : [{ type: 'usage', usage }, this.#finish];
      }
      default:
        return [];
    }
  }

  /** Recordings show upstreams that start twice; the second start begins its blocks anew. */
  #start(message: JsonObject): AnswerEvent[] {
    this.#report.addStart(message['usage']);
    this.#open.clear();
    return [{ type: 'start', id: textOf(message['id']) ?? '', model: textOf(message['model']) ?? '' }];
  }

  #startBlock(index: unknown, block: JsonObject): AnswerEvent[] {
    const text = textOf(block['text']);
    switch (block['type']) {
      case 'text':
        return text === undefined ? [] : [{ type: 'text', text }];
      case 'thinking':
        return [
          ...this.#delta(index, { type: 'thinking_delta', thinking: block['thinking'] }),
          ...signature(block),
        ];
      case 'redacted_thinking':
        return [{ type: 'reasoning-proof', proof: readProof(textOf(block['data']) ?? '', redacted) }];
      case 'tool_use':
        return this.#startToolCall(index, block);
      default:
        this.#lost.add(`content.${textOf(block['type']) ?? 'unknown'}`);
        return [];
    }
  }

  #startToolCall(index: unknown, block: JsonObject): AnswerEvent[] {
    const call = { index: this.#toolCalls, hasArguments: false };
    this.#toolCalls++;
    this.#open.set(index, call);
    const start: AnswerEvent = {
      type: 'tool-call',
      index: call.index,
      callId: textOf(block['id']) ?? `toolu_${call.index}`,
      name: textOf(block['name']) ?? '',
    };
    const input = objectOf(block['input']);
    return Object.keys(input).length === 0 ? [start] : [start, ...this.#toolArguments(call, jsonText(input))];
  }

  #delta(index: unknown, delta: JsonObject): AnswerEvent[] {
    switch (delta['type']) {
      case 'text_delta': {
        const text = textOf(delta['text']);
        return text === undefined ? [] : [{ type: 'text', text }];
      }
      case 'thinking_delta': {
        const text = textOf(delta['thinking']);
        return text === undefined ? [] : [{ type: 'reasoning', text }];
      }
      case 'signature_delta':
        return signature(delta);
      case 'input_json_delta': {
        const call = this.#open.get(index);
        const text = textOf(delta['partial_json']);
        return call === undefined || text === undefined ? [] : this.#toolArguments(call, text);
      }
      default:
        return [];
    }
  }

  #toolArguments(call: OpenToolCall, text: string): AnswerEvent[] {
    call.hasArguments = true;
    return [{ type: 'tool-arguments', index: call.index, text }];
  }

  /** A call without arguments may come without any fragment; other dialects want an empty object. */
  #stopBlock(index: unknown): AnswerEvent[] {
    const call = this.#open.get(index);
    this.#open.delete(index);
    return call === undefined || call.hasArguments ? [] : this.#toolArguments(call, '{}');
  }

  #noteFinish(delta: JsonObject): AnswerEvent[] {
    const reason = textOf(delta['stop_reason']);
    if (reason === undefined) return [];
    this.#finish = {
      type: 'finish',
      reason: finishReasons.get(reason) ?? 'stop',
      stopSequence: textOf(delta['stop_sequence']),
    };
    const explanation =
      reason === 'refusal' ? textOf(objectOf(delta['stop_details'])['explanation']) : undefined;
    return explanation === undefined ? [] : [{ type: 'refusal', text: explanation }];
  }
}

function signature(source: JsonObject): AnswerEvent[] {
  const text = textOf(source['signature']);
  return text === undefined ? [] : [{ type: 'reasoning-proof', proof: readProof(text, signed) }];
}
