import { heldBy } from './answer-choices.ts';
import type { AnswerEvent } from './conversation.ts';
import { DroppedNames } from './dropped-fields.ts';
import { streamOf } from './emulated-stream.ts';
import type { AnswerReader, ClientRequest } from './exchange.ts';
import type { ChatFormat, Dialect } from './format.ts';
import { contentTypeOf } from './framing.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import type { Secrets } from './redact.ts';
import { WholeBody } from './whole-body.ts';

/**
 * Reads an answer that is not streamed. Between two chat formats it is translated, into a stream where the client asked
 * for one, else its bytes pass untouched.
 */
export class WholeAnswerReader implements AnswerReader {
  readonly contentType: string;
  readonly meter = new Tally();
  readonly #body = new WholeBody();
  readonly #lost = new DroppedNames();
  readonly #upstream: Dialect;
  readonly #translateTo: ChatFormat | undefined;
  readonly #request: ClientRequest;
  readonly #secrets: Secrets;

  constructor(
    upstream: Dialect,
    translateTo: ChatFormat | undefined,
    request: ClientRequest,
    secrets: Secrets,
  ) {
    this.#upstream = upstream;
    this.#translateTo = translateTo;
    this.#request = request;
    this.contentType = request.facts.stream ? contentTypeOf(request.framing) : 'application/json';
    this.#secrets = secrets;
  }

  /** Of an answer that passes untouched nothing is lost. */
  get dropped(): readonly string[] {
    return this.#translateTo === undefined ? [] : this.#lost.list;
  }

  push(chunk: Buffer): Buffer {
    this.#body.push(chunk);
    return noBytes;
  }

  end(): Buffer {
    const { meter } = this;
    const { bytes, json } = this.#body.read(this.#secrets);
    const { usage, content, binaries, events } = this.#upstream.readWhole(json, this.#lost);
    meter.usage = usage;
    for (const text of content) meter.addText(text);
    for (const binary of binaries) meter.addBinary(binary);
    meter.finished = true;
    const to = this.#translateTo;
    if (to === undefined || events === undefined) return bytes;
    return Buffer.from(this.#encode(to, heldBy(to, events, this.#lost)));
  }

  #encode(to: ChatFormat, events: readonly AnswerEvent[]): string {
    const request = this.#request;
    if (request.facts.stream) return streamOf(to, events, request, this.#lost);
    return JSON.stringify(to.encodeAnswer(events, request, this.#lost));
  }
}
