import type { AnswerEvent, Citation, VendorCall } from '../../../../model/conversation.ts';
import { ByteOffsets } from '../byte-offsets.ts';

/** No answer rests on more. */
const FINDINGS_MAX = 10_000;

type Json = Record<string, unknown>;

/** Collects what an answer rests on, which is told once, with its end. */
export class GroundingWriter {
  readonly #offsets = new ByteOffsets();
  readonly #queries: string[] = [];
  readonly #fetched: Json[] = [];
  readonly #supports: Json[] = [];
  readonly #chunks: Json[] = [];
  /** Places in `#chunks` by address and title. */
  readonly #places = new Map<string, number>();

  note(event: AnswerEvent): void {
    if (event.type === 'text') this.#offsets.add(event.text);
    else if (event.type === 'vendor-call') this.#noteCall(event.call);
    else if (event.type === 'citation') this.#noteCitation(event.citation);
  }

  /** Members of a candidate. */
  get metadata(): Json {
    const grounding = {
      ...(this.#queries.length > 0 && { webSearchQueries: this.#queries }),
      ...(this.#chunks.length > 0 && { groundingChunks: this.#chunks }),
      ...(this.#supports.length > 0 && { groundingSupports: this.#supports }),
    };
    return {
      ...(Object.keys(grounding).length > 0 && { groundingMetadata: grounding }),
      ...(this.#fetched.length > 0 && { urlContextMetadata: { urlMetadata: this.#fetched } }),
    };
  }

  #noteCall({ tool, input, sources = [], isError }: VendorCall): void {
    if (this.#queries.length + this.#fetched.length >= FINDINGS_MAX) return;
    if (tool === 'web-search') {
      if (input !== '') this.#queries.push(input);
      for (const { url, title } of sources) this.#chunkOf(url, title);
    } else if (tool === 'url-fetch') {
      const status = isError ? 'URL_RETRIEVAL_STATUS_ERROR' : 'URL_RETRIEVAL_STATUS_SUCCESS';
      this.#fetched.push({ retrievedUrl: input, urlRetrievalStatus: status });
    }
  }

  #noteCitation({ url, title, quote, start, end }: Citation): void {
    if (this.#supports.length >= FINDINGS_MAX) return;
    const segment = { startIndex: this.#offsets.bytesOf(start), endIndex: this.#offsets.bytesOf(end) };
    const index = this.#chunkOf(url, title, quote);
    this.#supports.push({ segment, groundingChunkIndices: [index] });
  }

  /**
   * Returns the index of a source's chunk. A source without a URL is content given to the model instead of a web page.
   */
  #chunkOf(url: string | undefined, title = '', quote?: string): number {
    const name = JSON.stringify([url, title]);
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const text = quote === undefined ? {} : { text: quote };
    this.#chunks.push(
      url === undefined ? { retrievedContext: { title, ...text } } : { web: { uri: url, title } },
    );
    this.#places.set(name, this.#chunks.length - 1);
    return this.#chunks.length - 1;
  }
}
