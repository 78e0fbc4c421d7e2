import { DroppedNames } from './dropped-fields.ts';
import type { AnswerReader, ClientRequest } from './exchange.ts';
import type { ChatFormat, Dialect } from './format.ts';
import { editJson } from './json-edit.ts';
import { Tally } from './meter.ts';
import { noBytes } from './no-bytes.ts';
import type { Secrets } from './redact.ts';
import { WholeBody } from './whole-body.ts';

/** Reads an answer that is not streamed. Between two chat formats it is translated, else its bytes pass untouched. */
export class WholeAnswerReader implements AnswerReader {
  readonly contentType = 'application/json';
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
    const { usage, content, binaries, events } = this.#upstream.readWhole(
      json,
      this.#lost,
      this.#request.json,
    );
    meter.usage = usage;
    for (const text of content) meter.addText(text);
    for (const binary of binaries) meter.addBinary(binary);
    meter.finished = true;
    if (this.#translateTo === undefined || events === undefined) {
      const complete = this.#upstream.completeAnswer?.(json, this.#request) ?? json;
      return editJson(bytes, json, complete);
    }
    return Buffer.from(JSON.stringify(this.#translateTo.encodeAnswer(events, this.#request, this.#lost)));
  }
}
