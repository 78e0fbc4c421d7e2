import { HELD_BYTES_MAX } from '../../../../errors/response-limits.ts';
import { tooLargeError } from '../../../../errors/upstream-error.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { ReasoningSignature } from '../../../../model/reasoning-signature.ts';
import { parseToolInput, toToolInput } from '../../../../translate/tool-input.ts';
import { writeCode } from '../code-execution-parts.ts';
import { writeSignature } from '../thought-filter-and-signatures.ts';

export type WrittenPart = Record<string, unknown>;

interface WaitingCall {
  callId: string;
  name: string;
  signature: string | undefined;
  arguments: string[];
  /** Number of unsuccessful checks for completeness. */
  looks: number;
}

/**
 * Maximum checks: each reads the arguments from their beginning. Calls that are interleaved more often wait for the
 * end.
 */
const LOOKS_MAX = 20;

/**
 * Converts the events of a response to parts. A call is one part, so that it waits for the end of its arguments;
 * interleaved calls keep their order.
 */
export class PartWriter {
  readonly #calls = new Map<number, WaitingCall>();
  #waitingCharacters = 0;
  /** True if arguments arrived since the last check of the first call. */
  #hasNewArguments = false;
  #signature: string | undefined;

  push(event: ResponseEvent): WrittenPart[] {
    switch (event.type) {
      case 'text':
        return [...this.#wholeCalls(), this.#signed({ text: event.text })];
      case 'reasoning':
        return [...this.#wholeCalls(), { text: event.text, thought: true }];
      case 'reasoning-proof':
        return this.#proof(event.signature);
      case 'tool-call': {
        const whole = this.#wholeCalls();
        const { callId, name } = event;
        this.#calls.set(event.index, { callId, name, signature: this.#takeSignature(), arguments: [], looks: 0 });
        return whole;
      }
      case 'tool-arguments':
        this.#addArguments(event.index, event.text);
        return [];
      case 'image':
      case 'audio': {
        const { mediaType, data } = event;
        return [...this.#wholeCalls(), this.#signed({ inlineData: { mimeType: mediaType, data } })];
      }
      case 'vendor-call':
        return event.call.tool === 'code-execution' ? [...this.#wholeCalls(), ...writeCode(event.call)] : [];
      case 'start':
      case 'refusal':
      case 'citation':
      case 'logprobs':
      case 'usage':
      case 'finish':
      default:
        return [];
    }
  }

  end(): WrittenPart[] {
    const calls = [...this.#calls.values()].map(callPart);
    this.#calls.clear();
    const signature = this.#takeSignature();
    return signature === undefined ? calls : [...calls, { text: '', thoughtSignature: signature }];
  }

  /**
   * Writes a reasoning signature. Google's signs the part that follows it; other vendors' sign the preceding thought,
   * and are useless without it.
   */
  #proof(proof: ReasoningSignature): WrittenPart[] {
    const written = writeSignature(proof);
    if (proof.origin !== 'gemini') return [{ text: '', thought: true, thoughtSignature: written }];
    const pending = this.#takeSignature();
    this.#signature = written;
    return pending === undefined ? [] : [{ text: '', thoughtSignature: pending }];
  }

  #addArguments(index: number, text: string): void {
    this.#waitingCharacters += text.length;
    if (this.#waitingCharacters > HELD_BYTES_MAX)
      throw tooLargeError('The upstream sent function call arguments that are too large.');
    this.#hasNewArguments = true;
    this.#calls.get(index)?.arguments.push(text);
  }

  /** Returns the leading calls whose arguments are complete. */
  #wholeCalls(): WrittenPart[] {
    if (!this.#hasNewArguments) return [];
    this.#hasNewArguments = false;
    const whole: WrittenPart[] = [];
    for (const [index, call] of this.#calls) {
      call.looks++;
      if (call.looks > LOOKS_MAX || parseToolInput(call.arguments.join('')) === undefined) break;
      whole.push(callPart(call));
      this.#calls.delete(index);
    }
    return whole;
  }

  #signed(part: WrittenPart): WrittenPart {
    const thoughtSignature = this.#takeSignature();
    return thoughtSignature === undefined ? part : { ...part, thoughtSignature };
  }

  #takeSignature(): string | undefined {
    const signature = this.#signature;
    this.#signature = undefined;
    return signature;
  }
}

function callPart({ callId, name, signature, arguments: texts }: WaitingCall): WrittenPart {
  return {
    functionCall: { id: callId, name, args: toToolInput(texts.join('')) },
    ...(signature !== undefined && { thoughtSignature: signature }),
  };
}
