import { emptyResponseError, type UpstreamError } from '../../errors/upstream-error.ts';
import { endReasonError } from '../../exchange/response-end-check.ts';
import {
  isObject,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  objectsIn,
  shortCopy,
  textOf,
} from '../../json/json.ts';
import type { UsageExtractor, UsageExtractorFactory } from '../../model/dialect.ts';
import { emptyUsage, type Usage } from '../../model/usage.ts';
import { OpenaiReports } from '../openai/openai-usage.ts';
import { readFinishReason } from './openai-chat/finish-reasons.ts';

/** Fields with the results of a search, and LiteLLM's copies of a vendor's own fields. */
const sources = ['annotations', 'web_search', 'executed_tools', 'search_results', 'provider_specific_fields'];

/** Returns the usage extractor for streams of chunks with `choices`, such as chat and completions. */
export function createOpenaiUsageExtractor(
  content: readonly string[],
  binary: readonly string[],
  images: readonly string[] = [],
): UsageExtractorFactory {
  // A call without arguments shows only in its name.
  const notable = ['usage', 'finish_reason', 'annotations', 'name', 'executed_tools', 'web_search'];
  return {
    watch: { content, binary, images, notable, notableValues: [], sources },
    endsWithDone: true,
    create: (request, choices) => new OpenaiUsageExtractor(isUsageRequested(request), choices),
  };
}

export function isUsageRequested(request: JsonObject): boolean {
  return objectOf(request['stream_options'])['include_usage'] === true;
}

/** Requests usage, which OpenAI's streams otherwise omit. */
export function requestUsage(request: JsonObject): JsonObject {
  if (request['stream'] !== true || isUsageRequested(request)) return request;
  return { ...request, stream_options: { ...objectOf(request['stream_options']), include_usage: true } };
}

class OpenaiUsageExtractor implements UsageExtractor {
  /** Indexes of the ended choices; if some lack a finish reason, `[DONE]` ends the stream. */
  readonly #ended = new Set<unknown>();
  readonly #choices: number;
  readonly #report = new OpenaiUsageReport();
  readonly #clientWantsUsage: boolean;
  /** Positions of the calls whose names are counted: some vendors repeat the name with each piece of the arguments. */
  readonly #calls = new Set<string>();
  /** Characters of the calls' names. */
  characters = 0;
  /** Finish reason of the last choice. */
  #finishReason: string | undefined;

  constructor(clientWantsUsage: boolean, choices: number) {
    this.#clientWantsUsage = clientWantsUsage;
    this.#choices = choices;
  }

  get finished(): boolean {
    return this.#ended.size >= this.#choices;
  }

  get endedChoices(): number {
    return this.#ended.size;
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  readEvent(chunk: JsonObject): boolean {
    const reportsUsage = this.#report.add(chunk);
    const choices = listOf(chunk['choices']);
    for (const choice of choices.map(objectOf)) {
      const reason = textOf(choice['finish_reason']);
      this.#addCalls(choice);
      // Some vendors write the string "null" before a reason.
      if (reason === undefined || reason === 'null') continue;
      this.#finishReason = reason;
      if (!this.finished) this.#ended.add(choice['index'] ?? 0);
    }
    const isUsageOnly = reportsUsage && choices.length === 0;
    return this.#clientWantsUsage || !isUsageOnly;
  }

  emptyStreamError(): UpstreamError | undefined {
    if (this.#finishReason === undefined) return emptyResponseError();
    return endReasonError(readFinishReason(this.#finishReason), 'openai-chat');
  }

  #addCalls(choice: JsonObject): void {
    const delta = objectOf(choice['delta']);
    // The old form of a call, `function_call`, is in the delta itself.
    for (const [nth, call] of [delta, ...objectsIn(delta['tool_calls'])].entries()) {
      const name = findCallName(call);
      const position = `${numberOf(choice['index']) ?? 0} ${numberOf(call['index']) ?? nth}`;
      if (name === undefined || this.#calls.has(position) || this.#calls.size >= CALLS_MAX) continue;
      this.#calls.add(position);
      this.characters += name.length;
    }
  }
}

/** Maximum calls of a response whose names are counted. */
const CALLS_MAX = 10_000;

function findCallName(call: JsonObject): string | undefined {
  const forms = [call['function'], call['custom'], call['function_call']];
  return forms.map((form) => textOf(objectOf(form)['name'])).find((name) => name !== undefined);
}

/** Maximum counted searches of a response. */
const SEARCHES_MAX = 10_000;

/** OpenAI's search models, by their name in the response, which may begin with another gateway's prefix. */
const searchModel = /(?:^|\/)gpt-[\w.-]*search-(?:preview|api)\b/;

/**
 * Usage over the chunks of one response; a non-streaming response is one chunk. Several vendors repeat a growing
 * usage on every chunk, and some report its parts in different chunks: the highest values count.
 */
export class OpenaiUsageReport {
  readonly #reports = new OpenaiReports();
  #citesWeb = false;
  #hasResults = false;
  /** Model of the last chunk that names it. */
  #model = '';
  /** Searches that show in the response only, by their position. */
  readonly #searches = new Set<string>();

  /** @returns whether the chunk reports usage */
  add(chunk: JsonObject): boolean {
    this.#model = shortCopy(textOf(chunk['model']) ?? this.#model);
    // Zhipu's results, which it returns for a search before the response.
    // https://docs.bigmodel.cn/api-reference/模型-api/对话补全
    this.#hasResults ||= listOf(chunk['web_search']).length > 0;
    for (const choice of listOf(chunk['choices'])) this.#addSearches(objectOf(choice));
    return this.#reports.add(chunk);
  }

  /** True once the vendor has reported tokens; until then, the usage has only searches. */
  get isReported(): boolean {
    return this.#reports.usage !== undefined;
  }

  /**
   * Usage with the searches, also if the stream breaks off before the report. A vendor's own count takes precedence.
   * OpenAI's search models search once before every response, and show it by `url_citation` annotations at most: a
   * prompt that forbids citations must not make the search free.
   * Source: OpenAI's guide "Web search", Chat Completions.
   */
  get usage(): Usage | undefined {
    const hasSearched = this.#citesWeb || this.#hasResults || searchModel.test(this.#model);
    const webSearch = Math.max(Number(hasSearched), this.#searches.size);
    const reported = this.#reports.usage;
    if (webSearch === 0) return reported;
    const usage = reported ?? emptyUsage();
    return usage.webSearch > 0 ? usage : { ...usage, webSearch };
  }

  /**
   * Records the searches of vendors that report no number: Moonshot charges each call of its tool `$web_search`, Groq
   * each search among the tools that it has executed.
   * https://platform.kimi.com/docs/pricing/tools, https://console.groq.com/docs/web-search
   */
  #addSearches(choice: JsonObject): void {
    const message = objectOf(choice['message'] ?? choice['delta']);
    const { annotations, tool_calls: calls, executed_tools: executed } = message;
    this.#citesWeb ||= listOf(annotations).some((annotation) => objectOf(annotation)['type'] === 'url_citation');
    for (const [nth, call] of objectsIn(calls).entries())
      if (objectOf(call['function'])['name'] === '$web_search') this.#addSearch('call', choice, call, nth);
    for (const [nth, tool] of objectsIn(executed).entries())
      if (isObject(tool['search_results'])) this.#addSearch('tool', choice, tool, nth);
  }

  /** @param nth position in its list, for vendors that number only the calls of streams */
  #addSearch(kind: string, choice: JsonObject, call: JsonObject, nth: number): void {
    if (this.#searches.size >= SEARCHES_MAX) return;
    this.#searches.add(`${kind} ${numberOf(choice['index']) ?? 0} ${numberOf(call['index']) ?? nth}`);
  }
}
