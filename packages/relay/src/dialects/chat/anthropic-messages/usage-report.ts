import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { keepLarger } from '../../../model/reconcile-tokens.ts';
import { emptyUsage, toCallCount, toTokenCount, type Usage } from '../../../model/usage.ts';

/** The parts of a report that stay together. */
const groups = [
  {
    sum: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'],
    parts: ['cache_creation'],
  },
  { sum: ['output_tokens'], parts: ['output_tokens_details'] },
];
/** All that is read of one; whatever else an upstream may write is not kept. */
const fields = [...groups.flatMap(({ sum, parts }) => [...sum, ...parts]), 'server_tool_use', 'iterations'];

/** Models that are told apart in one answer. */
const MODELS_MAX = 20;

/**
 * Usage over the events of one answer. Reports are cumulative: a later one replaces an earlier one, field by
 * field, unless it comes to less. Compatible upstreams give the true input count now in the first report, now in the last,
 * and zero in the other, so that a zero never replaces a count.
 */
export class UsageReport {
  #report: JsonObject | undefined;

  /** Adds the usage at a stream's start, whose `output_tokens` is a placeholder: nothing has been written yet. */
  addStart(value: unknown): this {
    return this.add({ ...objectOf(value), output_tokens: null });
  }

  add(value: unknown): this {
    if (!isObject(value) || Object.values(value).every((field) => field == null)) return this;
    const earlier = this.#report ?? {};
    const report = Object.fromEntries(fields.map((field) => [field, value[field] || earlier[field]]));
    this.#report = keepLarger(earlier, report, groups);
    return this;
  }

  get usage(): Usage | undefined {
    if (this.#report === undefined) return undefined;
    const iterations = listOf(this.#report['iterations']).filter(isObject);
    if (iterations.length === 0) return readUsage(this.#report);
    return addServerSideRuns(this.#report, iterations);
  }
}

/**
 * `iterations` lists what the vendor ran within one answer (compaction, an advisor, a fallback model); the
 * top-level numbers cover only the last of them, and each is billed at the price of its own model. The first one runs the
 * model that was asked for. Reasoning is reported for the whole only.
 */
function addServerSideRuns(report: JsonObject, iterations: readonly JsonObject[]): Usage {
  const models = new Map<string, Usage>();
  const asked = textOf(iterations[0]?.['model']) ?? '';
  for (const run of iterations) {
    const model = textOf(run['model']) ?? asked;
    const isKnown = models.has(model) || models.size < MODELS_MAX;
    const name = isKnown ? model : asked;
    models.set(name, addUsage(models.get(name) ?? emptyUsage(), readUsage(run)));
  }
  const sum = models.get(asked) ?? emptyUsage();
  models.delete(asked);
  sum.reasoning = Math.min(sum.output, readUsage(report).reasoning);
  sum.output -= sum.reasoning;
  const others = [...models].map(([model, usage]) => ({ model, usage }));
  return { ...sum, ...readToolRuns(report), ...(others.length > 0 && { others }) };
}

/** Adds the tokens of a run, whose reasoning is output here. */
function addUsage(sum: Usage, run: Usage): Usage {
  return {
    ...sum,
    input: toTokenCount(sum.input + run.input),
    cachedRead: toTokenCount(sum.cachedRead + run.cachedRead),
    cacheWrite5m: toTokenCount(sum.cacheWrite5m + run.cacheWrite5m),
    cacheWrite1h: toTokenCount(sum.cacheWrite1h + run.cacheWrite1h),
    output: toTokenCount(sum.output + run.output + run.reasoning),
  };
}

/** Cached tokens stand beside `input_tokens`, thinking tokens are inside `output_tokens`. */
function readUsage(report: JsonObject): Usage {
  const creation = objectOf(report['cache_creation']);
  const output = toTokenCount(report['output_tokens']);
  const reasoning = toTokenCount(objectOf(report['output_tokens_details'])['thinking_tokens']);
  const write1h = toTokenCount(creation['ephemeral_1h_input_tokens']);
  const write5m = toTokenCount(creation['ephemeral_5m_input_tokens']);
  const written = Math.max(toTokenCount(report['cache_creation_input_tokens']), write5m + write1h);
  return {
    ...emptyUsage(),
    input: toTokenCount(report['input_tokens']),
    cachedRead: toTokenCount(report['cache_read_input_tokens']),
    cacheWrite5m: written - write1h,
    cacheWrite1h: write1h,
    output: output - Math.min(output, reasoning),
    reasoning: Math.min(output, reasoning),
    ...readToolRuns(report),
  };
}

/**
 * Searches are billed beside the tokens; fetching pages is free, and code runs are billed by the container's hour.
 * Source: Anthropic's Messages reference, "usage.server_tool_use".
 */
function readToolRuns(report: JsonObject): Pick<Usage, 'webSearch'> {
  const tools = objectOf(report['server_tool_use']);
  return { webSearch: toCallCount(tools['web_search_requests']) };
}

export function writeUsage(usage: Usage | undefined): Record<string, unknown> {
  const { cacheWrite5m, cacheWrite1h, ...counts } = usage ?? emptyUsage();
  const { reasoning, webSearch } = counts;
  return {
    input_tokens: counts.input + counts.audioInput + counts.imageInput,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: counts.cachedRead,
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: counts.output + reasoning + counts.audioOutput + counts.imageOutput,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
    // The vendor's libraries want both counts; fetched pages are free, and not counted here.
    ...(webSearch > 0 && { server_tool_use: { web_search_requests: webSearch, web_fetch_requests: 0 } }),
  };
}
