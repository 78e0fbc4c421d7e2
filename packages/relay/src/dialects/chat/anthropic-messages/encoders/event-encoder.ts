import { HELD_BYTES_MAX } from '../../../../errors/response-limits.ts';
import { tooLargeError } from '../../../../errors/upstream-error.ts';
import type { ClientRequest } from '../../../../model/client-request.ts';
import type { Citation, ResponseEvent, VendorCall } from '../../../../model/conversation.ts';
import type { StreamEncoder, UnsupportedFields } from '../../../../model/dialect.ts';
import { encodeSignature, type ReasoningSignature, UNSIGNED_THOUGHT } from '../../../../model/reasoning-signature.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { writeCitation } from '../citations.ts';
import { encodeVendorCall } from '../server-tool-calls.ts';
import { writeStopReason } from '../stop-reasons.ts';
import { ThoughtFilter } from '../thought-filter-and-signatures.ts';
import { writeUsage } from '../usage-report.ts';

type BlockKind = 'text' | 'thinking' | 'tool_use';

export function createStreamEncoder({ json }: ClientRequest, lost: UnsupportedFields): StreamEncoder {
  const encoder = new EventEncoder(lost);
  const thoughts = new ThoughtFilter(json, lost);
  return {
    push(event) {
      let written = '';
      for (const shown of thoughts.push(event)) written += encoder.push(shown);
      return written;
    },
    end: () => encoder.end(),
  };
}

/**
 * Encoder of Anthropic's strictly sequential blocks. Fragments of parallel tool calls may be interleaved: the call
 * with the open block is streamed, others wait for its end.
 */
class EventEncoder implements StreamEncoder {
  #started = false;
  /** True if the open thought has its signature. */
  #isSigned = false;
  #index = -1;
  #open: BlockKind | undefined;
  #openCall: number | undefined;
  readonly #waiting = new WaitingCalls();
  /** Length of the response's text so far; `#openFrom` is its length before the open block. */
  #length = 0;
  #openFrom = 0;
  /**
   * True if the open block has a citation, which applies to the whole block, so that later text needs another one.
   */
  #isCited = false;
  #usage: Usage | undefined;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  push(event: ResponseEvent): string {
    switch (event.type) {
      case 'start':
        return this.#start(event.id, event.model);
      case 'usage':
        this.#usage = event.usage;
        return '';
      case 'text':
        return this.#text(event.text);
      case 'refusal':
        return this.#into('text', { type: 'text_delta', text: event.text });
      case 'reasoning':
        return this.#into('thinking', { type: 'thinking_delta', thinking: event.text });
      case 'reasoning-proof':
        return this.#proof(event.signature);
      case 'tool-call':
      case 'tool-arguments':
        return this.#toolEvent(event);
      case 'finish':
        return this.#finish(event);
      case 'vendor-call':
        return this.#vendorCall(event.call);
      case 'citation':
        return this.#cite(event.citation);
      case 'logprobs':
      case 'image':
      case 'audio':
      default:
        this.#lost.add(event.type);
        return '';
    }
  }

  #text(text: string): string {
    const closed = this.#isCited ? this.#closeAll() : '';
    if (this.#open !== 'text') this.#openFrom = this.#length;
    this.#length += text.length;
    return closed + this.#into('text', { type: 'text_delta', text });
  }

  /**
   * Writes a citation into the open text block. A citation of a closed block is dropped, because nothing can be added
   * to that block, and an empty block for it would be refused in the next request.
   */
  #cite(citation: Citation): string {
    const written = writeCitation(citation);
    if (written === undefined || this.#open !== 'text' || citation.end <= this.#openFrom) {
      this.#lost.add('citation');
      return '';
    }
    this.#isCited = true;
    return this.#delta({ type: 'citations_delta', citation: written });
  }

  #vendorCall(call: VendorCall): string {
    const { use, result } = encodeVendorCall(call);
    const { input, ...start } = use;
    const json = JSON.stringify(input);
    return [
      this.#closeAll(),
      this.#openBlock({ ...start, input: {} }),
      this.#delta({ type: 'input_json_delta', partial_json: json }),
      this.#close(),
      this.#openBlock(result),
      this.#close(),
    ].join('');
  }

  #proof(signature: ReasoningSignature): string {
    const written = encodeSignature(signature, 'anthropic-messages');
    const isAlone = this.#open !== 'thinking' && signature.origin !== 'anthropic-messages';
    if (signature.kind === 'redacted' || isAlone)
      return this.#closeAll() + this.#openBlock({ type: 'redacted_thinking', data: written }) + this.#close();
    // A signature closes its block, so that later thinking opens another one.
    const delta = this.#into('thinking', { type: 'signature_delta', signature: written });
    this.#isSigned = true;
    return delta + this.#close();
  }

  end(): string {
    return sse('message_stop', {});
  }

  /** Writes the start. Input tokens are still unknown; clients read them from `message_delta`. */
  #start(id: string, model: string): string {
    if (this.#started) return '';
    this.#started = true;
    return sse('message_start', {
      message: {
        id: id === '' ? createId('msg_') : id,
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

  #toolEvent(event: CallEvent): string {
    const isFree = this.#open !== 'tool_use' || this.#openCall === event.index;
    if (!isFree || this.#waiting.has(event.index)) {
      this.#waiting.add(event);
      return '';
    }
    if (event.type === 'tool-arguments') {
      // Text in between has closed the call's block, so that nothing can be added.
      if (this.#openCall !== event.index) {
        this.#lost.add('tool-arguments');
        return '';
      }
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
    const isUnsigned = this.#open === 'thinking' && !this.#isSigned;
    const unsigned = isUnsigned ? this.#delta({ type: 'signature_delta', signature: UNSIGNED_THOUGHT }) : '';
    this.#isSigned = false;
    this.#open = undefined;
    this.#openCall = undefined;
    this.#isCited = false;
    return unsigned + sse('content_block_stop', { index: this.#index });
  }

  #closeAll(): string {
    let written = this.#close();
    for (const events of this.#waiting.take()) {
      for (const event of events) written += this.push(event);
      written += this.#close();
    }
    return written;
  }

  #finish(end: Extract<ResponseEvent, { type: 'finish' }>): string {
    const delta = writeStopReason(end, this.#lost);
    return this.#closeAll() + sse('message_delta', { delta, usage: writeUsage(this.#usage) });
  }
}

function sse(type: string, fields: Record<string, unknown>): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

type CallEvent = Extract<ResponseEvent, { index: number }>;

/** Fragments of tool calls that wait until the preceding call is complete. */
class WaitingCalls {
  readonly #events = new Map<number, CallEvent[]>();
  #characters = 0;

  has(index: number): boolean {
    return this.#events.has(index);
  }

  add(event: CallEvent): void {
    if (event.type === 'tool-arguments') this.#characters += event.text.length;
    if (this.#characters > HELD_BYTES_MAX) throw tooLargeError('The upstream sent a tool call that is too large.');
    const events = this.#events.get(event.index);
    if (events === undefined) this.#events.set(event.index, [event]);
    else events.push(event);
  }

  /** Returns the events grouped by call. */
  take(): CallEvent[][] {
    const calls = [...this.#events.values()];
    this.#events.clear();
    this.#characters = 0;
    return calls;
  }
}
