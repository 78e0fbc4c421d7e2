import { type JsonObject, textOf } from '../../../json/json.ts';
import type { Citation, CitedSource } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';

/** Reads a citation, which applies to the whole text block. */
export function readCitation(citation: JsonObject): CitedSource {
  return {
    // `source` of a search result that the client sent is usually a URL as well.
    url: textOf(citation['url']) ?? textOf(citation['source']),
    title: textOf(citation['title']) ?? textOf(citation['document_title']),
    quote: textOf(citation['cited_text']),
  };
}

/**
 * Writes a citation. A file that only its vendor has is cited by its title, like a search result of the client's.
 * @returns undefined without a URL and a title
 */
export function writeCitation({ url, title, quote }: CitedSource): Record<string, unknown> | undefined {
  if (url === undefined && title === undefined) return undefined;
  if (url === undefined)
    return {
      type: 'search_result_location',
      source: title,
      title,
      cited_text: quote ?? '',
      search_result_index: 0,
      start_block_index: 0,
      end_block_index: 0,
    };
  return {
    type: 'web_search_result_location',
    url,
    title: title ?? null,
    cited_text: quote ?? '',
    encrypted_index: '',
  };
}

interface TextBlock extends Record<string, unknown> {
  type: 'text';
  text: string;
  citations?: unknown[];
}

/**
 * Text of a non-streaming response as blocks. A citation applies to its whole block, so that blocks end where a
 * citation begins or ends; overlapping citations belong to the block where they end.
 */
export class CitedText {
  readonly #content: Record<string, unknown>[];
  readonly #citations: readonly Citation[];
  readonly #cuts: readonly number[];
  readonly #written: { block: TextBlock; end: number }[] = [];
  readonly #lost: UnsupportedFields;
  #nextCut = 0;
  #length = 0;

  constructor(content: Record<string, unknown>[], citations: readonly Citation[], lost: UnsupportedFields) {
    this.#content = content;
    this.#citations = citations.toSorted((one, other) => one.end - other.end);
    this.#cuts = citations.flatMap(({ start, end }) => [start, end]).toSorted((one, other) => one - other);
    this.#lost = lost;
  }

  add(text: string): void {
    for (let from = 0; from < text.length; ) {
      const isCut = this.#passCuts();
      const cut = this.#cuts[this.#nextCut] ?? Number.POSITIVE_INFINITY;
      const piece = text.slice(from, from + cut - this.#length);
      this.#append(piece, isCut);
      from += piece.length;
    }
  }

  /** Writes the citations; to be called after the last text. */
  cite(): void {
    let at = 0;
    for (const citation of this.#citations) {
      while (at < this.#written.length - 1 && (this.#written[at]?.end ?? 0) < citation.end) at++;
      const block = this.#written[at]?.block;
      const written = writeCitation(citation);
      if (block === undefined || written === undefined) this.#lost.add('citation');
      else (block.citations ??= []).push(written);
    }
  }

  /** Passes the cuts up to the end of the written text. @returns whether there was one */
  #passCuts(): boolean {
    const before = this.#nextCut;
    while ((this.#cuts[this.#nextCut] ?? Number.POSITIVE_INFINITY) <= this.#length) this.#nextCut++;
    return this.#nextCut > before;
  }

  #append(text: string, isCut: boolean): void {
    this.#length += text.length;
    const last = this.#written.at(-1);
    if (last !== undefined && !isCut && last.block === this.#content.at(-1)) {
      last.block.text += text;
      last.end = this.#length;
      return;
    }
    const block: TextBlock = { type: 'text', text };
    this.#content.push(block);
    this.#written.push({ block, end: this.#length });
  }
}
