import { HELD_BYTES_MAX } from '../../../../errors/response-limits.ts';
import { tooLargeError } from '../../../../errors/upstream-error.ts';
import type {
  Citation,
  FinishReason,
  ResponseEvent,
  TokenLogprob,
  TokenProbability,
  VendorCall,
} from '../../../../model/conversation.ts';
import { ByteOffsets } from '../byte-offsets.ts';
import { writeFinishReason } from '../finish-reasons.ts';
import { ThoughtFilter } from '../thought-filter-and-signatures.ts';
import { PartWriter, type WrittenPart } from './part-writer.ts';

/** New content of a candidate from one event. */
export interface CandidatePiece {
  parts: WrittenPart[];
  members: Record<string, unknown>;
}

/** Converts the events of a response to pieces of a candidate: one after another for a stream, else all in one. */
export class CandidateWriter {
  readonly #parts = new PartWriter();
  readonly #grounding = new GroundingWriter();
  readonly #thoughts: ThoughtFilter;
  #refusal = '';

  /** @param showsThoughts whether the client asked for thought texts */
  constructor(showsThoughts: boolean) {
    this.#thoughts = new ThoughtFilter(showsThoughts);
  }

  push(event: ResponseEvent): CandidatePiece | undefined {
    this.#grounding.addEvent(event);
    if (event.type === 'finish') return { parts: this.#parts.end(), members: this.#finish(event.reason) };
    if (event.type === 'refusal') this.#refuse(event.text);
    if (event.type === 'logprobs') return { parts: [], members: { logprobsResult: writeLogprobs(event.tokens) } };
    const parts: WrittenPart[] = [];
    for (const shown of this.#thoughts.push(event)) parts.push(...this.#parts.push(shown));
    return parts.length === 0 ? undefined : { parts, members: {} };
  }

  /**
   * Collects a refusal's text, which is not part of the response's content.
   * @throws UpstreamError if it exceeds the limit
   */
  #refuse(text: string): void {
    this.#refusal += text;
    if (this.#refusal.length > HELD_BYTES_MAX) throw tooLargeError('The upstream sent a refusal that is too long.');
  }

  #finish(reason: FinishReason): Record<string, unknown> {
    return {
      finishReason: writeFinishReason(reason),
      ...(this.#refusal !== '' && { finishMessage: this.#refusal }),
      ...this.#grounding.metadata,
    };
  }
}

function writeLogprobs(tokens: readonly TokenLogprob[]): Record<string, unknown> {
  return {
    chosenCandidates: tokens.map(writeProbability),
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(writeProbability) })),
  };
}

function writeProbability({ token, logprob }: TokenProbability): Record<string, unknown> {
  return { token, logProbability: logprob };
}

/** Maximum citations and sources of a response. */
const FINDINGS_MAX = 10_000;

type Json = Record<string, unknown>;

/** Collector of sources and citations, which are written once, at the end. */
class GroundingWriter {
  readonly #offsets = new ByteOffsets();
  readonly #queries: string[] = [];
  readonly #fetched: Json[] = [];
  readonly #supports: Json[] = [];
  readonly #chunks: Json[] = [];
  /** Indexes in `#chunks` by URL and title. */
  readonly #places = new Map<string, number>();

  addEvent(event: ResponseEvent): void {
    if (event.type === 'text') this.#offsets.add(event.text);
    else if (event.type === 'vendor-call') this.#noteCall(event.call);
    else if (event.type === 'citation') this.#noteCitation(event.citation);
  }

  /** Returns the members of a candidate. */
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
    this.#chunks.push(url === undefined ? { retrievedContext: { title, ...text } } : { web: { uri: url, title } });
    this.#places.set(name, this.#chunks.length - 1);
    return this.#chunks.length - 1;
  }
}
