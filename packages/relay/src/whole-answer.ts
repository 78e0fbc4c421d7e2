import type { AnswerReader } from './exchange.ts';
import type { ChatFormat, Dialect } from './format.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import type { Secrets } from './redact.ts';
import { WholeBody } from './whole-body.ts';

/** Reads an answer that is not streamed. Between two chat formats it is translated, else its bytes pass untouched. */
export class WholeAnswerReader implements AnswerReader {
  readonly contentType = 'application/json';
  readonly meter = new Tally();
  readonly #body = new WholeBody();
  readonly #upstream: Dialect;
  readonly #translateTo: ChatFormat | undefined;
  readonly #secrets: Secrets;

  constructor(upstream: Dialect, translateTo: ChatFormat | undefined, secrets: Secrets) {
    this.#upstream = upstream;
    this.#translateTo = translateTo;
    this.#secrets = secrets;
  }

  push(chunk: Buffer): Buffer {
    this.#body.push(chunk);
    return noBytes;
  }

  end(): Buffer {
    const { meter } = this;
    const { bytes, json } = this.#body.read(this.#secrets);
    const { usage, content, binaries, events } = this.#upstream.readWhole(json);
    meter.usage = usage;
    for (const text of content) meter.addText(text);
    for (const binary of binaries) meter.addBinary(binary);
    meter.finished = true;
    if (this.#translateTo === undefined || events === undefined) return bytes;
    return Buffer.from(JSON.stringify(this.#translateTo.encodeAnswer(events)));
  }
}
