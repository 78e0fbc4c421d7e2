import { isObject, type JsonObject, listOf, objectOf, objectsIn, shortCopy, textOf } from '../../../json/json.ts';
import { keepLarger, reconcileTokens } from '../../../model/reconcile-tokens.ts';
import {
  cachedTokens,
  emptyUsage,
  markImplausible,
  outputTokens,
  promptTokens,
  Shares,
  toTokenCount,
  type Usage,
} from '../../../model/usage.ts';
import { readField } from './snake-and-camel-case-fields.ts';

/** Fields of which a usage report has at least one: Vertex' early chunks contain only the `trafficType`. */
const counters = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'];
/** Fields of a report that are merged as a group. */
const groups = [
  {
    sum: ['promptTokenCount', 'toolUsePromptTokenCount'],
    parts: ['cachedContentTokenCount', 'cacheTokensDetails', 'promptTokensDetails'],
  },
  { sum: ['candidatesTokenCount', 'thoughtsTokenCount'], parts: ['candidatesTokensDetails'] },
  { sum: ['totalTokenCount'], parts: [] },
];
/** Fields that are kept; others are discarded. */
const fields = groups.flatMap(({ sum, parts }) => [...sum, ...parts]);

/** Kind of media whose rate applies to the tokens of a modality; the others cost as much as text. */
type MediaRates = ReadonlyMap<unknown, 'audio' | 'image'>;

const chatRates: MediaRates = new Map([
  ['AUDIO', 'audio'],
  ['IMAGE', 'image'],
]);

/**
 * Rates of an embedding, where video costs more than any other modality; the rate of audio is the nearest that a price
 * can have. https://ai.google.dev/gemini-api/docs/pricing, "Gemini Embedding 2"
 */
export const embeddingRates: MediaRates = new Map([...chatRates, ['VIDEO', 'audio']]);

/**
 * Returns the prompt's tokens by modality, under the name of Vertex AI and of chats or that of the Gemini API's
 * embeddings: https://ai.google.dev/api/embeddings#EmbeddingUsageMetadata
 */
export function readPromptDetails(report: JsonObject): unknown {
  return readField(report, 'promptTokensDetails') ?? readField(report, 'promptTokenDetails');
}

function readReportField(report: JsonObject, name: string): unknown {
  return name === 'promptTokensDetails' ? readPromptDetails(report) : readField(report, name);
}

/**
 * Usage over the chunks of one response; a non-streaming response is one chunk. Each report is cumulative and
 * replaces the preceding one, field by field, unless it is lower.
 */
export class UsageReport {
  readonly #rates: MediaRates;
  #report: JsonObject | undefined;
  #model = '';
  readonly #grounding = new GroundingCounts();

  constructor(rates = chatRates) {
    this.#rates = rates;
  }

  add(chunk: JsonObject): void {
    this.#model = shortCopy(textOf(readField(chunk, 'modelVersion')) ?? this.#model);
    for (const candidate of listOf(chunk['candidates'])) this.#grounding.add(objectOf(candidate));
    const next = readField(chunk, 'usageMetadata');
    if (!isObject(next) || counters.every((counter) => readField(next, counter) == null)) return;
    const earlier = this.#report ?? {};
    const report: Record<string, unknown> = {};
    for (const name of fields) report[name] = readReportField(next, name) ?? earlier[name];
    this.#report = keepLarger(earlier, report, groups);
  }

  get usage(): Usage | undefined {
    const grounding = this.#grounding.countsFor(this.#model);
    const isGrounded = grounding.webSearch + grounding.mapsGrounding > 0;
    if (this.#report === undefined && !isGrounded) return undefined;
    return { ...(this.#report === undefined ? emptyUsage() : readUsage(this.#report, this.#rates)), ...grounding };
  }
}

/**
 * Reads usage. `promptTokenCount` and `promptTokensDetails` include cached tokens and exclude those of the vendor's own
 * tools; `candidatesTokenCount` includes all modalities and excludes thoughts.
 */
function readUsage(report: JsonObject, rates: MediaRates): Usage {
  const cached = sumByRate(report['cacheTokensDetails'], rates);
  const prompt = sumByRate(report['promptTokensDetails'], rates);
  const written = sumByRate(report['candidatesTokensDetails'], rates);
  const thoughts = toTokenCount(report['thoughtsTokenCount']);
  const candidates = toTokenCount(report['candidatesTokenCount']);
  const input = toTokenCount(report['promptTokenCount']) + toTokenCount(report['toolUsePromptTokenCount']);
  const asked = new Shares(input);
  const audio = new Shares(candidates);
  const image = new Shares(candidates);
  const tokens = reconcileTokens({
    prompt: input,
    completion: candidates + thoughts,
    total: report['totalTokenCount'],
    parts: {
      cachedRead: asked.take('cachedRead', report['cachedContentTokenCount']),
      audioInput: prompt.audio,
      imageInput: prompt.image,
      reasoning: thoughts,
      audioOutput: audio.take('audioOutput', written.audio),
      imageOutput: image.take('imageOutput', written.image),
    },
    cachedMedia: cached,
  });
  const implausible = [tokens, asked, audio, image].flatMap((report) => report.implausible ?? []);
  return { ...emptyUsage(), ...tokens, ...markImplausible(...implausible) };
}

function sumByRate(details: unknown, rates: MediaRates): { audio: number; image: number } {
  const sums = { audio: 0, image: 0 };
  for (const detail of objectsIn(details)) {
    const rate = rates.get(detail['modality']);
    if (rate !== undefined) sums[rate] += toTokenCount(readField(detail, 'tokenCount'));
  }
  return sums;
}

export function writeUsage(usage: Usage): Record<string, unknown> {
  const prompt = promptTokens(usage);
  const { cachedAudioInput, cachedImageInput } = usage;
  const cached = cachedTokens(usage);
  const thoughts = usage.reasoning;
  const candidates = outputTokens(usage) - thoughts;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + thoughts,
    ...(cached > 0 && { cachedContentTokenCount: cached }),
    ...(cached > usage.cachedRead && {
      cacheTokensDetails: writeModalities(cached, cachedAudioInput, cachedImageInput),
    }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    promptTokensDetails: writeModalities(
      prompt,
      usage.audioInput + cachedAudioInput,
      usage.imageInput + cachedImageInput,
    ),
    ...(candidates > 0 && {
      candidatesTokensDetails: writeModalities(candidates, usage.audioOutput, usage.imageOutput),
    }),
  };
}

function writeModalities(whole: number, audio: number, image: number): Record<string, unknown>[] {
  const counts = { TEXT: whole - audio - image, AUDIO: audio, IMAGE: image };
  return Object.entries(counts).flatMap(([modality, tokenCount]) => (tokenCount > 0 ? [{ modality, tokenCount }] : []));
}

/** Maximum queries of a response. */
const QUERIES_MAX = 10_000;

/** Models that are billed per grounded prompt; newer ones are billed per query. */
const billedByPrompt = /gemini-[12]\b/;

/**
 * Counter of what Google bills besides the tokens: searches of the web and of Google Maps. Both report their queries
 * in `webSearchQueries`; only the cited sources distinguish them. Searches for images (`searchTypes.imageSearch`) have
 * a list of their own, and cost as much as searches of the web. Repeated queries are billed once, and empty ones not
 * at all. Pages that were read (`urlContext`) are billed by their tokens alone.
 * https://ai.google.dev/gemini-api/docs/pricing, "Grounding with Google Search", "Grounding with Google Maps";
 * https://googleapis.github.io/js-genai/release_docs/interfaces/types.GroundingMetadata.html, `imageSearchQueries`
 */
export class GroundingCounts {
  #citesWeb = false;
  #citesMaps = false;
  #citesImages = false;
  #readsPages = false;
  readonly #queries = new Set<string>();
  readonly #imageQueries = new Set<string>();

  add(candidate: JsonObject): void {
    this.#readsPages ||= isObject(readField(candidate, 'urlContextMetadata'));
    const metadata = objectOf(readField(candidate, 'groundingMetadata'));
    for (const chunk of objectsIn(readField(metadata, 'groundingChunks'))) {
      this.#citesWeb ||= isObject(chunk['web']);
      this.#citesMaps ||= isObject(chunk['maps']);
      this.#citesImages ||= isObject(chunk['image']);
    }
    addQueries(this.#queries, readField(metadata, 'webSearchQueries'));
    addQueries(this.#imageQueries, readField(metadata, 'imageSearchQueries'));
  }

  /** @param model name in the response; empty without one */
  countsFor(model: string): Pick<Usage, 'webSearch' | 'mapsGrounding'> {
    const hasMaps = this.#citesMaps;
    const hasWeb = (this.#citesWeb && !this.#readsPages) || (this.#queries.size > 0 && !hasMaps);
    const imageSearches = Math.max(Number(this.#citesImages), this.#imageQueries.size);
    if (billedByPrompt.test(model))
      return { webSearch: hasWeb || imageSearches > 0 ? 1 : 0, mapsGrounding: hasMaps ? 1 : 0 };
    // Google charges the same for both kinds of queries, so that it doesn't matter which of several was for Maps.
    const mapsQueries = hasMaps && !hasWeb ? Math.max(1, this.#queries.size) : Number(hasMaps);
    const webSearches = hasWeb ? Math.max(1, this.#queries.size - mapsQueries) : 0;
    return { webSearch: webSearches + imageSearches, mapsGrounding: mapsQueries };
  }
}

function addQueries(known: Set<string>, queries: unknown): void {
  for (const query of listOf(queries))
    if (known.size < QUERIES_MAX && typeof query === 'string' && query.trim() !== '') known.add(shortCopy(query));
}
