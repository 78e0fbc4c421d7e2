import { emptyResponseError, type UpstreamError } from '../../../errors/upstream-error.ts';
import { endReasonError } from '../../../exchange/response-end-check.ts';
import {
  countJson,
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  shortCopy,
  textOf,
} from '../../../json/json.ts';
import type { UsageExtractor } from '../../../model/dialect.ts';
import { keepLarger } from '../../../model/reconcile-tokens.ts';
import {
  cachedTokens,
  emptyUsage,
  type ModelUsage,
  markUntimed,
  toCallCount,
  toTokenCount,
  type Usage,
} from '../../../model/usage.ts';
import { readStopReason } from './stop-reasons.ts';

/** Fields of a report that are merged as a group. */
const groups = [
  { sum: ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'], parts: ['cache_creation'] },
  { sum: ['output_tokens'], parts: ['output_tokens_details'] },
];
/** Fields that are kept; others are discarded. */
const fields = [...groups.flatMap(({ sum, parts }) => [...sum, ...parts]), 'server_tool_use', 'iterations'];

/**
 * Maximum runs per response whose usage is kept apart. Further ones are added to another run of their model, or count as one
 * of the requested model.
 */
const RUNS_MAX = 100;
/** Type of a search's result that is an error. */
const SEARCH_ERROR = 'web_search_tool_result_error';
/** Maximum searches per response that are counted. */
const SEARCHES_MAX = 10_000;

/**
 * Usage over the events of one response. Reports are cumulative: a later one replaces an earlier one, field by field,
 * unless it is lower. Compatible upstreams report the input count in the first or the last report and zero in the
 * other, so that a zero never replaces a count. Searches are reported only at the end, by some upstreams never: until
 * then, those that have begun count, because the stream may break off.
 */
export class UsageReport {
  #report: JsonObject | undefined;
  /** Ids of the searches that have begun and not failed. */
  readonly #searches = new Set<string>();

  /** Adds the usage of a stream's start, whose `output_tokens` and `server_tool_use` are placeholders. */
  addStart(value: unknown): this {
    return this.add({ ...objectOf(value), output_tokens: null, server_tool_use: null });
  }

  add(value: unknown): this {
    if (!isObject(value) || Object.values(value).every((field) => field == null)) return this;
    const earlier = this.#report ?? {};
    const report = Object.fromEntries(fields.map((field) => [field, value[field] || earlier[field]]));
    this.#report = keepLarger(earlier, report, groups);
    return this;
  }

  /**
   * Adds a block that begins, of which only searches count: each is billed, unless it ends with an error.
   * https://platform.claude.com/docs/en/agents-and-tools/tool-use/web-search-tool, "Usage and pricing"
   */
  addBlock(block: JsonObject): this {
    const { type, name, content } = block;
    if (type === 'server_tool_use' && name === 'web_search' && this.#searches.size < SEARCHES_MAX)
      this.#searches.add(shortCopy(textOf(block['id']) ?? `${this.#searches.size}`));
    if (type === 'web_search_tool_result' && objectOf(content)['type'] === SEARCH_ERROR)
      this.#searches.delete(shortCopy(textOf(block['tool_use_id']) ?? ''));
    return this;
  }

  /** True once the vendor has reported tokens; until then, the usage has only searches. */
  get isReported(): boolean {
    return this.#report !== undefined;
  }

  get usage(): Usage | undefined {
    const webSearch = this.#countSearches();
    if (this.#report === undefined) return webSearch > 0 ? { ...emptyUsage(), webSearch } : undefined;
    const iterations = listOf(this.#report['iterations']).filter(isObject);
    const usage = iterations.length === 0 ? readUsage(this.#report) : separateRuns(this.#report, iterations);
    return { ...usage, webSearch };
  }

  /**
   * Returns the searches, which are billed besides the tokens. Page fetches are free, and code execution is billed by
   * container hours.
   * Source: Anthropic's Messages reference, "usage.server_tool_use".
   */
  #countSearches(): number {
    const reported = numberOf(objectOf(this.#report?.['server_tool_use'])['web_search_requests']);
    return reported === undefined ? this.#searches.size : toCallCount(reported);
  }
}

/** Usage extractor of a stream, which ends with `message_stop`. */
export class AnthropicUsageExtractor implements UsageExtractor {
  finished = false;
  /** Characters of the calls: their names, and arguments that arrive as an object. */
  characters = 0;
  readonly #report = new UsageReport();
  #stopReason: string | undefined;

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  readEvent(event: JsonObject): boolean {
    if (event['type'] === 'message_start') this.#report.addStart(objectOf(event['message'])['usage']);
    if (event['type'] === 'message_delta') {
      this.#report.add(event['usage']);
      this.#stopReason = textOf(objectOf(event['delta'])['stop_reason']) ?? this.#stopReason;
    }
    if (event['type'] === 'content_block_start') {
      const block = objectOf(event['content_block']);
      this.#report.addBlock(block);
      if (block['type'] === 'tool_use') this.characters += countCall(block);
    }
    if (event['type'] === 'message_stop') this.finished = true;
    return true;
  }

  emptyStreamError(): UpstreamError | undefined {
    if (this.#stopReason === undefined) return emptyResponseError();
    return endReasonError(readStopReason(this.#stopReason), 'anthropic-messages');
  }
}

/** Counts a call's name, and its arguments if they don't follow in pieces. */
function countCall({ name, input }: JsonObject): number {
  const isWhole = isObject(input) && Object.keys(input).length > 0;
  return (textOf(name)?.length ?? 0) + (isWhole ? countJson(input) : 0);
}

/**
 * Separates the runs in `iterations`: those of the vendor within one response (tools, compaction, an advisor, a fallback
 * model). The top-level numbers cover only the last run. Each run is billed at its own model's price, in the tier of its own
 * prompt. Messages are runs of the requested model, and so are runs without a model, such as compaction. Reasoning is
 * reported only in total.
 * https://platform.claude.com/docs/en/api/beta/messages/create, `usage.iterations`
 */
function separateRuns(report: JsonObject, iterations: readonly JsonObject[]): Usage {
  const message = iterations.find(({ type, model }) => type === 'message' && textOf(model) !== undefined);
  const asked = textOf((message ?? iterations[0])?.['model']) ?? '';
  const shares: ModelUsage[] = [];
  const runByModel = new Map<string, ModelUsage>();
  for (const run of iterations) {
    const named = run['type'] === 'message' ? asked : (textOf(run['model']) ?? asked);
    const model = named === asked ? '' : named;
    const full = shares.length < RUNS_MAX ? undefined : (runByModel.get(model) ?? runByModel.get(''));
    const share = full ?? { model: shares.length < RUNS_MAX ? model : '', usage: emptyUsage() };
    share.usage = addUsage(share.usage, readUsage(run));
    if (full === undefined) shares.push(share);
    runByModel.set(share.model, share);
  }
  const own = shares.find(({ model }) => model === '');
  let { reasoning } = readUsage(report);
  for (const { usage } of shares.filter(({ model }) => model === '')) {
    usage.reasoning = Math.min(usage.output, reasoning);
    usage.output -= usage.reasoning;
    reasoning -= usage.reasoning;
  }
  const others = shares.filter((share) => share !== own);
  return { ...(own?.usage ?? emptyUsage()), ...(others.length > 0 && { others }) };
}

/** Returns the sum with the tokens of a run, whose reasoning counts as output. */
function addUsage(sum: Usage, run: Usage): Usage {
  return {
    ...sum,
    input: toTokenCount(sum.input + run.input),
    cachedRead: toTokenCount(sum.cachedRead + run.cachedRead),
    cacheWrite5m: toTokenCount(sum.cacheWrite5m + run.cacheWrite5m),
    cacheWrite1h: toTokenCount(sum.cacheWrite1h + run.cacheWrite1h),
    output: toTokenCount(sum.output + run.output + run.reasoning),
    ...markUntimed(toTokenCount((sum.untimedCacheWrites ?? 0) + (run.untimedCacheWrites ?? 0))),
  };
}

/** Reads usage. `input_tokens` excludes cached tokens, `output_tokens` includes thinking tokens. */
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
    ...markUntimed(written - write5m - write1h),
  };
}

export function writeUsage(usage: Usage | undefined): Record<string, unknown> {
  const { cacheWrite5m, cacheWrite1h, ...counts } = usage ?? emptyUsage();
  const { reasoning, webSearch } = counts;
  return {
    input_tokens: counts.input + counts.audioInput + counts.imageInput,
    cache_creation_input_tokens: cacheWrite5m + cacheWrite1h,
    cache_read_input_tokens: cachedTokens(counts),
    cache_creation: { ephemeral_5m_input_tokens: cacheWrite5m, ephemeral_1h_input_tokens: cacheWrite1h },
    output_tokens: counts.output + reasoning + counts.audioOutput + counts.imageOutput,
    ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
    // The vendor's libraries require both counts; page fetches are free, and not counted here.
    ...(webSearch > 0 && { server_tool_use: { web_search_requests: webSearch, web_fetch_requests: 0 } }),
  };
}
