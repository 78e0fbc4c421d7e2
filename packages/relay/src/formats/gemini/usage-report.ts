import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import {
  emptyUsage,
  largerReport,
  outputTokens,
  promptTokens,
  sharesOf,
  tokenCount,
  type Usage,
} from '../../usage.ts';
import { field } from './field.ts';

/** What has to be there for a report to be one: Vertex' early chunks only tell the `trafficType`. */
const counters = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'];
/** All that is read of one; whatever else an upstream may write is not kept. */
const fields = [
  ...counters,
  'cachedContentTokenCount',
  'toolUsePromptTokenCount',
  'cacheTokensDetails',
  'promptTokensDetails',
  'candidatesTokensDetails',
];
/** No answer comes of more searches. */
const SEARCHES_MAX = 10_000;

/**
 * Usage over the chunks of one answer; a whole answer is one chunk. Each report is of all so far and replaces the one
 * before, field by field.
 */
export class UsageReport {
  #report: JsonObject | undefined;
  #tokens: Usage | undefined;
  #model = '';
  #isGrounded = false;
  readonly #searches = new Set<string>();

  add(chunk: JsonObject): void {
    this.#model = textOf(field(chunk, 'modelVersion')) ?? this.#model;
    for (const candidate of listOf(chunk['candidates']))
      this.#addGrounding(objectOf(field(objectOf(candidate), 'groundingMetadata')));
    const next = field(chunk, 'usageMetadata');
    if (!isObject(next) || counters.every((counter) => field(next, counter) == null)) return;
    const report: Record<string, unknown> = { ...this.#report };
    for (const name of fields) report[name] = field(next, name) ?? report[name];
    this.#report = report;
    this.#tokens = largerReport(this.#tokens, readUsage(report));
  }

  get usage(): Usage | undefined {
    return this.#tokens && { ...this.#tokens, webSearch: this.#billedSearches() };
  }

  #addGrounding(metadata: JsonObject): void {
    const queries = listOf(field(metadata, 'webSearchQueries'));
    const chunks = listOf(field(metadata, 'groundingChunks')).map(objectOf);
    this.#isGrounded ||= queries.length > 0 || chunks.some((chunk) => chunk['web'] ?? chunk['maps']);
    for (const query of queries)
      if (this.#searches.size < SEARCHES_MAX && typeof query === 'string') this.#searches.add(query);
  }

  /**
   * One for a grounded prompt up to Gemini 2.5, from then on one for each query.
   * https://ai.google.dev/gemini-api/docs/pricing, "Grounding with Google Search"
   */
  #billedSearches(): number {
    if (!this.#isGrounded) return 0;
    return /gemini-[12]\b/.test(this.#model) ? 1 : Math.max(1, this.#searches.size);
  }
}

/**
 * `promptTokenCount` has the cached tokens in it and not those of the vendor's own tools; `candidatesTokenCount` has
 * the modalities in it and not the thoughts.
 */
function readUsage(report: JsonObject): Usage {
  const usage = emptyUsage();
  const cached = modalities(report['cacheTokensDetails']);
  const prompt = modalities(report['promptTokensDetails']);
  const toolUse = tokenCount(report['toolUsePromptTokenCount']);
  const input = sharesOf(tokenCount(report['promptTokenCount']) + toolUse);
  usage.cachedRead = input.take(report['cachedContentTokenCount']);
  usage.audioInput = input.take(prompt.audio - cached.audio);
  usage.imageInput = input.take(prompt.image - cached.image);
  usage.input = input.rest();
  const written = modalities(report['candidatesTokensDetails']);
  const output = sharesOf(tokenCount(report['candidatesTokenCount']));
  usage.audioOutput = output.take(written.audio);
  usage.imageOutput = output.take(written.image);
  usage.output = output.rest();
  usage.reasoning = tokenCount(report['thoughtsTokenCount']);
  return usage;
}

function modalities(details: unknown): { audio: number; image: number } {
  const sums = { audio: 0, image: 0 };
  for (const detail of listOf(details).map(objectOf)) {
    const tokens = tokenCount(field(detail, 'tokenCount'));
    if (detail['modality'] === 'AUDIO') sums.audio += tokens;
    if (detail['modality'] === 'IMAGE') sums.image += tokens;
  }
  return sums;
}

export function writeUsage(usage: Usage): Record<string, unknown> {
  const prompt = promptTokens(usage);
  const thoughts = usage.reasoning;
  const candidates = outputTokens(usage) - thoughts;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + thoughts,
    ...(usage.cachedRead > 0 && { cachedContentTokenCount: usage.cachedRead }),
    ...(thoughts > 0 && { thoughtsTokenCount: thoughts }),
    promptTokensDetails: writeModalities(prompt, usage.audioInput, usage.imageInput),
    ...(candidates > 0 && {
      candidatesTokensDetails: writeModalities(candidates, usage.audioOutput, usage.imageOutput),
    }),
  };
}

function writeModalities(whole: number, audio: number, image: number): Record<string, unknown>[] {
  const counts = { TEXT: whole - audio - image, AUDIO: audio, IMAGE: image };
  return Object.entries(counts).flatMap(([modality, tokenCount]) =>
    tokenCount > 0 ? [{ modality, tokenCount }] : [],
  );
}
