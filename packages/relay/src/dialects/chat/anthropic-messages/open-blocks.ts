import { garbledError, HELD_BYTES_MAX } from '../../../errors/response-errors.ts';
import { type JsonObject, listOf, objectOf, parseJson } from '../../../json/json.ts';
import type { Citation, CitedSource } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import type { CallIdRule } from '../../../translate/pair-calls.ts';
import { readCitation } from './citations.ts';

/** Far more than a paragraph rests on. */
const CITATIONS_MAX = 1_000;

/** A text block that has begun. Its citations may come before its text, and are about all of it. */
export class OpenText {
  readonly type = 'text';
  readonly #sources: CitedSource[] = [];
  readonly #start: number;
  readonly #lost: UnsupportedFields;

  /** @param start where it begins in the answer's text */
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

/** A call of a tool of the vendor's that has begun; its input comes as JSON in pieces. */
export class OpenVendorCall {
  readonly type = 'vendor-call';
  readonly #block: JsonObject;
  #json = '';

  constructor(block: JsonObject) {
    this.#block = block;
  }

  add(json: string): void {
    this.#json += json;
    if (this.#json.length > HELD_BYTES_MAX) throw garbledError('The upstream sent a tool call that is too large.');
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

const VENDOR_PREFIX = 'srvtoolu_';

export const callIdRule = { forbidden: /[^a-zA-Z0-9_-]/g } satisfies CallIdRule;

/** Calls of the vendor's own tools have ids of their own kind; the same id always becomes the same. */
export function toVendorCallId(id: string): string {
  const clean = id.replaceAll(callIdRule.forbidden, '_');
  return clean.startsWith(VENDOR_PREFIX) ? clean : `${VENDOR_PREFIX}${clean}`;
}
