import { embeddedError, garbled } from '../errors/answer-errors.ts';
import { isObject, parseJson } from '../json/json.ts';
import { noBytes } from '../json/no-bytes.ts';
import type { AnswerReader } from '../model/exchange.ts';
import type { PlainAnswer } from '../model/format.ts';
import { Tally } from '../model/meter.ts';
import type { Target } from '../model/provider.ts';
import { WholeBody } from '../translate/whole-body.ts';

/** Content types of a vendor's error or another server's page; never audio, and no transcript. */
const noPlainType = /^(application\/(problem\+)?json|text\/(html|event-stream))\b/i;

/** Hands on sound as it comes, and text when it is complete. */
export class PlainAnswerReader implements AnswerReader {
  readonly contentType: string;
  readonly meter = new Tally();
  /** Everything reaches the client. */
  readonly dropped: readonly string[] = [];
  readonly #plain: PlainAnswer;
  readonly #target: Target;
  readonly #isOdd: boolean;
  /** Bytes that are withheld, for now or for good. */
  readonly #kept = new WholeBody();

  /** @param contentType of the answer, empty when it says none */
  constructor(plain: PlainAnswer, contentType: string, target: Target) {
    this.#plain = plain;
    this.#target = target;
    this.#isOdd = noPlainType.test(contentType);
    this.contentType = plain.accepted.test(contentType) ? contentType : plain.contentType;
  }

  get heldBytes(): number {
    return this.#kept.heldBytes;
  }

  push(chunk: Buffer): Buffer {
    if (!this.#isOdd && this.#plain.isStreamed) {
      this.meter.addBytes(chunk.length);
      return chunk;
    }
    this.#kept.push(chunk);
    return noBytes;
  }

  end(): Buffer {
    const { meter } = this;
    const { bytes } = this.#kept;
    const text = this.#isOdd || this.#plain.isText ? bytes.toString('utf8') : '';
    this.#refuse(text);
    if (this.#plain.isText) meter.addText(text);
    else if (meter.deliveredCharacters === 0) throw garbled('The upstream sent an empty response.');
    meter.finished = true;
    return bytes;
  }

  /** @throws UpstreamError when it is an error, or no plain answer */
  #refuse(text: string): void {
    const json = parseJson(text);
    const error = embeddedError(json, this.#target);
    if (error !== undefined) throw error;
    if (isObject(json) || (this.#isOdd && json === undefined))
      throw garbled('The upstream did not return the requested content.');
  }
}
