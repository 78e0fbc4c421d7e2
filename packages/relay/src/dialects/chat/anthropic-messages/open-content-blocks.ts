import { HELD_BYTES_MAX } from '../../../errors/response-limits.ts';
import { tooLargeError } from '../../../errors/upstream-error.ts';
import { type JsonObject, listOf, objectOf, parseJson } from '../../../json/json.ts';
import type { Citation, CitedSource } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import { readCitation } from './citations.ts';

/** Maximum citations of a block; paragraphs have far fewer. */
const CITATIONS_MAX = 1_000;

/** Open text block. Citations may precede its text and apply to all of it. */
export class OpenText {
  readonly type = 'text';
  readonly #sources: CitedSource[] = [];
  readonly #start: number;
  readonly #lost: UnsupportedFields;

  /** @param start position of the block in the response's text */
  constructor(block: JsonObject, start: number, lost: UnsupportedFields) {
    this.#start = start;
    this.#lost = lost;
    for (const citation of listOf(block['citations'])) this.cite(citation);
  }

  cite(citation: unknown): void {
    if (this.#sources.length < CITATIONS_MAX) this.#sources.push(readCitation(objectOf(citation)));
    else this.#lost.add('citation');
  }

  citations(end: number): Citation[] {
    return this.#sources.map((source) => ({ ...source, start: this.#start, end }));
  }
}

/** Open call of a vendor tool; its input arrives as JSON fragments. */
export class OpenVendorCall {
  readonly type = 'vendor-call';
  readonly #block: JsonObject;
  #json = '';

  constructor(block: JsonObject) {
    this.#block = block;
  }

  add(json: string): void {
    this.#json += json;
    if (this.#json.length > HELD_BYTES_MAX) throw tooLargeError('The upstream sent a tool call that is too large.');
  }

  get block(): JsonObject {
    return this.#json === '' ? this.#block : { ...this.#block, input: parseJson(this.#json) };
  }
}

export interface OpenToolCall {
  type: 'tool-call';
  index: number;
  hasArguments: boolean;
}

export type OpenBlock = OpenText | OpenVendorCall | OpenToolCall;
