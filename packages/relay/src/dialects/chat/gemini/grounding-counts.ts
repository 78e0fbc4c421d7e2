import { isObject, type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import type { Usage } from '../../../model/usage.ts';
import { field } from './field.ts';

/** No answer comes of more queries. */
const QUERIES_MAX = 10_000;

/** These models are billed by the grounded prompt; newer ones are billed by the query. */
const billedByPrompt = /gemini-[12]\b/;

/**
 * Counts what Google bills beside the tokens of one answer: searches of the web and of Google Maps. Both report their
 * queries in `webSearchQueries`; only the cited sources tell them apart. The same query is billed once, and an empty one not
 * at all. Pages that were read (`urlContext`) are billed by their tokens alone.
 * https://ai.google.dev/gemini-api/docs/pricing, "Grounding with Google Search", "Grounding with Google Maps"
 */
export class GroundingCounts {
  #citesWeb = false;
  #citesMaps = false;
  #readsPages = false;
  readonly #queries = new Set<string>();

  add(candidate: JsonObject): void {
    this.#readsPages ||= isObject(field(candidate, 'urlContextMetadata'));
    const metadata = objectOf(field(candidate, 'groundingMetadata'));
    for (const chunk of listOf(field(metadata, 'groundingChunks')).map(objectOf)) {
      this.#citesWeb ||= isObject(chunk['web']);
      this.#citesMaps ||= isObject(chunk['maps']);
    }
    for (const query of listOf(field(metadata, 'webSearchQueries')))
      if (this.#queries.size < QUERIES_MAX && typeof query === 'string' && query.trim() !== '')
        this.#queries.add(query);
  }

  /** @param model as the answer names it; empty where it names none */
  countsFor(model: string): Pick<Usage, 'webSearch' | 'mapsGrounding'> {
    const hasMaps = this.#citesMaps;
    const hasWeb = (this.#citesWeb && !this.#readsPages) || (this.#queries.size > 0 && !hasMaps);
    if (billedByPrompt.test(model)) return { webSearch: hasWeb ? 1 : 0, mapsGrounding: hasMaps ? 1 : 0 };
    // Google's prices for a query of either kind are the same, so that it doesn't matter which of several was for Maps.
    const mapsQueries = hasMaps && !hasWeb ? Math.max(1, this.#queries.size) : Number(hasMaps);
    return {
      webSearch: hasWeb ? Math.max(1, this.#queries.size - mapsQueries) : 0,
      mapsGrounding: mapsQueries,
    };
  }
}
