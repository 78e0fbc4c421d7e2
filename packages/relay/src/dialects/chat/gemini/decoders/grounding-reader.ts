import { type JsonObject, listOf, numberOf, objectOf, textOf, textsIn } from '../../../../json/json.ts';
import type { Citation, FoundSource, ResponseEvent } from '../../../../model/conversation.ts';
import type { ByteOffsets } from '../byte-offsets.ts';
import { readField } from '../snake-and-camel-case-fields.ts';

/** Maximum citations and sources of a response. */
const FINDINGS_MAX = 10_000;
/** Maximum characters of a cited URL and its title, which are remembered. */
const SOURCE_MAX = 8_192;

/** Reader of grounding metadata; the chunks of a stream may repeat it. */
export class GroundingReader {
  readonly #known = new Set<string>();
  /** Numbers of the sources by URL and title: a million citations may refer to one source with a long URL. */
  readonly #sourceNumbers = new Map<string, number>();
  #calls = 0;
  /** Events for the end: a vendor call closes the text before it, for which later chunks may name more sources. */
  readonly #ran: ResponseEvent[] = [];

  /** Returns the searches and fetches of the whole answer. */
  end(): ResponseEvent[] {
    return this.#ran.splice(0);
  }

  read(candidate: JsonObject, offsets: ByteOffsets): ResponseEvent[] {
    const metadata = objectOf(readField(candidate, 'groundingMetadata'));
    const sources = listOf(readField(metadata, 'groundingChunks')).map(readSource);
    this.#ran.push(
      ...this.#searches(metadata, sources),
      ...this.#fetches(objectOf(readField(candidate, 'urlContextMetadata'))),
    );
    return [
      ...this.#supports(metadata, sources, offsets),
      ...this.#recitations(objectOf(readField(candidate, 'citationMetadata')), offsets),
    ];
  }

  /**
   * Returns the searches as vendor calls. Google doesn't report which search found which source, so the first one gets
   * all sources.
   */
  #searches(metadata: JsonObject, found: readonly (FoundSource | undefined)[]): ResponseEvent[] {
    const sources = found.filter((source) => source !== undefined).filter(({ url }) => url !== '');
    const queries = textsIn(readField(metadata, 'webSearchQueries'));
    const asked = queries.length === 0 && sources.length > 0 ? [''] : queries;
    const events: ResponseEvent[] = [];
    for (const query of asked) {
      if (!this.#isNew(`search ${query}`)) continue;
      const callId = this.#nextId();
      const own = events.length === 0 ? { sources } : {};
      events.push({ type: 'vendor-call', call: { tool: 'web-search', callId, input: query, ...own } });
    }
    return events;
  }

  #fetches(metadata: JsonObject): ResponseEvent[] {
    return listOf(readField(metadata, 'urlMetadata')).flatMap((value): ResponseEvent[] => {
      const url = textOf(readField(objectOf(value), 'retrievedUrl'));
      if (url === undefined || !this.#isNew(`fetch ${url}`)) return [];
      const status = readField(objectOf(value), 'urlRetrievalStatus');
      const isError = status !== 'URL_RETRIEVAL_STATUS_SUCCESS';
      const sources = [{ url, title: '' }];
      return [
        { type: 'vendor-call', call: { tool: 'url-fetch', callId: this.#nextId(), input: url, sources, isError } },
      ];
    });
  }

  #supports(
    metadata: JsonObject,
    sources: readonly (FoundSource | undefined)[],
    offsets: ByteOffsets,
  ): ResponseEvent[] {
    const numbers = sources.map((source) => source && this.#numberSource(source.url, source.title));
    return listOf(readField(metadata, 'groundingSupports'))
      .map(objectOf)
      .flatMap((support) => {
        const place = readRange(objectOf(support['segment']), offsets);
        return listOf(readField(support, 'groundingChunkIndices')).flatMap((index) => {
          if (typeof index !== 'number') return [];
          const source = sources[index];
          if (source === undefined) return [];
          // A file of a search store has no URL.
          return this.#citation({ ...source, url: source.url || undefined, ...place }, numbers[index]);
        });
      });
  }

  /** Reads recitations, which Vertex calls `citations` and the Gemini API `citationSources`. */
  #recitations(metadata: JsonObject, offsets: ByteOffsets): ResponseEvent[] {
    const all = readField(metadata, 'citationSources') ?? metadata['citations'];
    return listOf(all)
      .map(objectOf)
      .flatMap((citation) => {
        const url = textOf(citation['uri']);
        const title = textOf(citation['title']);
        return url === undefined && title === undefined
          ? []
          : this.#citation({ url, title, ...readRange(citation, offsets) }, this.#numberSource(url, title));
      });
  }

  /** @param source number of the cited source; undefined if it cannot be cited */
  #citation(citation: Citation, source: number | undefined): ResponseEvent[] {
    const { start, end } = citation;
    const isNew = source !== undefined && this.#isNew(`citation ${start} ${end} ${source}`);
    return isNew ? [{ type: 'citation', citation }] : [];
  }

  /** Returns undefined for a source that is too long, or one too many. */
  #numberSource(url = '', title = ''): number | undefined {
    if (url.length + title.length > SOURCE_MAX) return undefined;
    const name = `${url} ${title}`;
    const known = this.#sourceNumbers.get(name);
    if (known !== undefined || this.#sourceNumbers.size >= FINDINGS_MAX) return known;
    const number = this.#sourceNumbers.size;
    this.#sourceNumbers.set(name, number);
    return number;
  }

  #isNew(name: string): boolean {
    if (this.#known.size >= FINDINGS_MAX || this.#known.has(name)) return false;
    this.#known.add(name);
    return true;
  }

  #nextId(): string {
    return `call_${this.#calls++}`;
  }
}

function readSource(value: unknown): FoundSource | undefined {
  const chunk = objectOf(value);
  const found = objectOf(chunk['web'] ?? chunk['maps'] ?? readField(chunk, 'retrievedContext'));
  const url = textOf(found['uri']) ?? '';
  const title = textOf(found['title']) ?? '';
  return url === '' && title === '' ? undefined : { url, title };
}

function readRange(segment: JsonObject, offsets: ByteOffsets): { start: number; end: number } {
  const start = offsets.unitsOf(Math.max(0, numberOf(readField(segment, 'startIndex')) ?? 0));
  const end = offsets.unitsOf(Math.max(0, numberOf(readField(segment, 'endIndex')) ?? 0));
  return { start, end: Math.max(start, end) };
}
