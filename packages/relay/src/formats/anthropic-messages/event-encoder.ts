import type { AnswerEvent, FinishReason } from '../../conversation.ts';
import type { ClientRequest } from '../../exchange.ts';
import type { Lost, StreamEncoder } from '../../format.ts';
import { type Proof, writeProof } from '../../proof.ts';
import type { Usage } from '../../usage.ts';
import { writeUsage } from './usage-report.ts';

export const stopReasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
  'malformed-call': 'end_turn',
  other: 'end_turn',
};

type BlockKind = 'text' | 'thinking' | 'tool_use';

export function createStreamEncoder(_request: ClientRequest, lost: Lost): StreamEncoder {
  return new EventEncoder(lost);
}

/**
 * Writes the strictly sequential blocks of Anthropic's stream. Fragments of parallel tool calls may come
 * interleaved: the call that has the open block is streamed, the others wait for its end.
 */
class EventEncoder implements StreamEncoder {
  #started = false;
  #index = -1;
  #open: BlockKind | undefined;
  #openCall: number | undefined;
  readonly #waiting = new Map<number, AnswerEvent[]>();
  #usage: Usage | undefined;
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
  }

  push(event: AnswerEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event.id, event.model);
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'text':
      case 'refusal':
        return this.#into('text', { type: 'text_delta', text: event.text });
      case 'reasoning':
        return this.#into('thinking', { type: 'thinking_delta', thinking: event.text });
      case 'reasoning-proof':
        return this.#proof(event.proof);
      case 'tool-call':
      case 'tool-arguments':
        return this.#toolEvent(event);
      case 'finish':
        return this.#finish(event.reason, event.stopSequence);
      case 'vendor-call':
      case 'citation':
      case 'logprobs':
      case 'image':
      case 'audio':
      default:
        this.#lost.add(event.type);
        return '';
    }
  }

  #proof(proof: Proof): string {
    const written = writeProof(proof, 'anthropic-messages');
    if (proof.kind === 'redacted')
      return this.#closeAll() + this.#openBlock({ type: 'redacted_thinking', data: written }) + this.#close();
    // A signature closes its block; what is thought after it is another thought.
    return this.#into('thinking', { type: 'signature_delta', signature: written }) + this.#close();
  }

  end(): string {
    return sse('message_stop', {});
  }

  /** Input tokens are not known yet; clients take them from `message_delta`. */
  #start(id: string, model: string): string {
    if (this.#started) return '';
    this.#started = true;
    return sse('message_start', {
      message: {
        id: id === '' ? 'msg_0' : id,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: writeUsage(this.#usage),
      },
    });
  }

  #toolEvent(event: Extract<AnswerEvent, { index: number }>): string {
    const isFree = this.#open !== 'tool_use' || this.#openCall === event.index;
    const isWaiting = this.#waiting.has(event.index);
    if (!isFree || isWaiting) {
      this.#waiting.set(event.index, [...(this.#waiting.get(event.index) ?? []), event]);
      return '';
    }
    if (event.type === 'tool-arguments') {
      // The call's block was closed by text that came in between; nothing can be added to it.
      if (this.#openCall !== event.index) return '';
      return this.#delta({ type: 'input_json_delta', partial_json: event.text });
    }
    const closed = this.#close();
    this.#openCall = event.index;
    this.#open = 'tool_use';
    return closed + this.#openBlock({ type: 'tool_use', id: event.callId, name: event.name, input: {} });
  }

  #into(kind: BlockKind, delta: Record<string, unknown>): string {
    if (this.#open === kind) return this.#delta(delta);
    const closed = this.#closeAll();
    this.#open = kind;
    const block = kind === 'text' ? { type: kind, text: '' } : { type: kind, thinking: '', signature: '' };
    return closed + this.#openBlock(block) + this.#delta(delta);
  }

  #openBlock(block: Record<string, unknown>): string {
    this.#index++;
    this.#open ??= 'text';
    return sse('content_block_start', { index: this.#index, content_block: block });
  }

  #delta(delta: Record<string, unknown>): string {
    return sse('content_block_delta', { index: this.#index, delta });
  }

  #close(): string {
    if (this.#open === undefined) return '';
    this.#open = undefined;
    this.#openCall = undefined;
    return sse('content_block_stop', { index: this.#index });
  }

  #closeAll(): string {
    let written = this.#close();
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const events of waiting) {
      for (const event of events) written += this.push(event);
      written += this.#close();
    }
    return written;
  }

  #finish(reason: FinishReason, stopSequence: string | undefined): string {
    const delta = {
      stop_reason: stopSequence === undefined ? stopReasons[reason] : 'stop_sequence',
      stop_sequence: stopSequence ?? null,
    };
    return this.#closeAll() + sse('message_delta', { delta, usage: writeUsage(this.#usage) });
  }
}

function sse(type: string, fields: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}
