import { isObject, type JsonObject, keyOf, listOf, numberOf, objectOf, shortCopy, textOf } from '../../../json/json.ts';
import type { UsageExtractor } from '../../../model/dialect.ts';
import { emptyUsage, mergeReports, toCallCount, type Usage } from '../../../model/usage.ts';
import { readOpenaiUsage, writeOpenaiUsage } from '../../openai/openai-usage.ts';
import { callKinds, getCallKind } from './client-call-kinds.ts';
import { isNamed } from './client-tools.ts';
import { ImageToolUsage } from './image-tool-usage.ts';
import { isFinalEvent } from './response-object-and-items.ts';

/** Maximum containers of a response. */
const CONTAINERS_MAX = 10_000;
/** Maximum unfinished items that are tracked. */
const UNFINISHED_MAX = 100;

/** Event with a preview of an image. */
export const PARTIAL_IMAGE = 'response.image_generation_call.partial_image';

const searchTypes: ReadonlySet<unknown> = new Set(['web_search_call', 'x_search_call']);
/** Types of vendor tool calls that are billed by the call, whatever they do. */
const billedTypes: ReadonlySet<unknown> = new Set(['x_search_call', 'file_search_call', 'code_interpreter_call']);

/** Types of items with the results of Perplexity's searches. */
const searchResultTypes: ReadonlySet<unknown> = new Set(['search_results', 'people_search_results', 'finance_results']);
/** Key of Perplexity's sandbox, which has no id and is billed by session. */
const SANDBOX = 'sandbox';

/** The part of a call that its bill needs: the whole item may have megabytes. */
interface BegunCall {
  type: unknown;
  container: string;
}

/**
 * Usage over the events of one response. Vendor tool calls are counted from the output items if the report doesn't
 * count them. Searches are billed, opening a found page is not; code execution and the hosted shell are billed by
 * container; images are the usage of another model. A call that has begun counts until its end shows whether it is
 * billed, because the stream may break off before that.
 * Sources: OpenAI's pricing page, "Built-in tools"; the items of its hosted shell,
 * https://developers.openai.com/api/docs/guides/tools-shell; Perplexity's items and prices,
 * https://docs.perplexity.ai/api-reference, https://docs.perplexity.ai/docs/getting-started/pricing.
 */
export class UsageReport {
  #tokens: Usage | undefined;
  #webSearches = 0;
  /** Searches that Perplexity reports, which may omit some of its search tools. */
  #invokedSearches = 0;
  #fileSearches = 0;
  #hasItems = false;
  readonly #containers = new Set<string>();
  /** Billed calls that have begun and not ended, by position: some upstreams change an item's id. */
  readonly #unfinished = new Map<unknown, BegunCall>();
  #hasShellContainer = false;
  /** True once the vendor has run a shell: the client sends the output of its own. */
  #hasShellOutput = false;
  readonly #images = new ImageToolUsage();
  #reportedCalls: Partial<Pick<Usage, 'webSearch' | 'codeExecution' | 'fileSearch'>> = {};

  /** Adds an event that begins or ends an item, or has a preview of an image; ignores any other event. */
  addEvent(event: JsonObject): void {
    const item = objectOf(event['item']);
    const place = numberOf(event['output_index']) ?? shortCopy(keyOf(item['id']) ?? '');
    switch (event['type']) {
      case 'response.output_item.added':
        if (isBilledAtStart(item) && this.#unfinished.size < UNFINISHED_MAX)
          this.#unfinished.set(place, { type: item['type'], container: shortCopy(containerOf(item)) });
        break;
      case 'response.output_item.done':
        this.#unfinished.delete(place);
        this.addItem(item);
        break;
      case PARTIAL_IMAGE:
        this.#images.addPartial(event);
        break;
      default:
    }
  }

  /** @param item completed item */
  addItem(item: JsonObject): void {
    this.#hasItems = true;
    if (item['type'] === 'image_generation_call') return this.#images.addItem(item);
    if (item['status'] === 'failed') return;
    if (isSearch(item) || searchResultTypes.has(item['type'])) this.#webSearches++;
    else if (item['type'] === 'file_search_call') this.#fileSearches++;
    else if (item['type'] === 'code_interpreter_call') this.#addContainer(containerOf(item));
    else if (item['type'] === 'shell_call') this.#addShell(item);
    else if (item['type'] === 'shell_call_output') this.#hasShellOutput = true;
    else if (item['type'] === 'sandbox_results') this.#addContainer(SANDBOX);
  }

  #addShell({ environment }: JsonObject): void {
    const container = keyOf(objectOf(environment)['container_id']);
    if (container === undefined) return;
    this.#hasShellContainer = true;
    this.#addContainer(container);
  }

  #addContainer(id: string): void {
    if (this.#containers.size < CONTAINERS_MAX) this.#containers.add(shortCopy(id));
  }

  /** @param response final response, which repeats all items */
  addResponse(response: JsonObject): void {
    this.#unfinished.clear();
    this.#images.addResponse(response);
    if (!this.#hasItems) for (const item of listOf(response['output'])) this.addItem(objectOf(item));
    this.addTokens(response);
  }

  /** Adds the tokens that any event reports; before the end they are usually null. */
  addTokens(response: JsonObject): void {
    const reported = objectOf(response['usage']);
    this.#reportedCalls = { ...this.#reportedCalls, ...readCalls(reported) };
    this.#invokedSearches = Math.max(this.#invokedSearches, countInvokedSearches(reported));
    const tokens = readUsage(response['usage']);
    if (tokens !== undefined) this.#tokens = mergeReports(this.#tokens, tokens);
  }

  get usage(): Usage | undefined {
    const calls = { ...this.#countCalls(), ...this.#reportedCalls };
    const others = this.#images.usage;
    const hasCalls = others.length > 0 || Object.values(calls).some((count) => count > 0);
    if (this.#tokens === undefined && !hasCalls) return undefined;
    return { ...(this.#tokens ?? emptyUsage()), ...calls, ...(others.length > 0 && { others }) };
  }

  #countCalls(): Pick<Usage, 'webSearch' | 'codeExecution' | 'fileSearch'> {
    const begun = [...this.#unfinished.values()];
    const fileSearches = begun.filter(({ type }) => type === 'file_search_call').length;
    const searches = begun.filter(({ type }) => searchTypes.has(type)).length;
    const containers = begun.filter(({ type }) => type === 'code_interpreter_call').map(({ container }) => container);
    const hasUnnamedContainer = this.#hasShellOutput && !this.#hasShellContainer;
    return {
      webSearch: toCallCount(Math.max(this.#webSearches + searches, this.#invokedSearches)),
      fileSearch: toCallCount(this.#fileSearches + fileSearches),
      codeExecution: new Set([...this.#containers, ...containers]).size + Number(hasUnnamedContainer),
    };
  }
}

export class ResponsesUsageExtractor implements UsageExtractor {
  finished = false;
  characters = 0;
  readonly #report = new UsageReport();

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  readEvent(event: JsonObject): boolean {
    this.#report.addEvent(event);
    if (event['type'] === 'response.output_item.done') this.characters += countCall(objectOf(event['item']));
    if (isFinalEvent(event['type'])) {
      this.#report.addResponse(objectOf(event['response']));
      this.finished = true;
    }
    return true;
  }
}

/** Returns the length of a call's name, and of a call that arrives as a whole; other arguments arrive in deltas. */
function countCall(item: JsonObject): number {
  const kind = getCallKind(item);
  if (kind === undefined || kind === 'shell') return 0;
  return isNamed(kind) ? (textOf(item['name'])?.length ?? 0) : callKinds[kind].encodeArguments(item).length;
}

function isSearch({ type, action }: JsonObject): boolean {
  return searchTypes.has(type) && (objectOf(action)['type'] ?? 'search') === 'search';
}

/** Returns whether a call that has begun is billed. OpenAI names a search's action at the end: it may open a page. */
function isBilledAtStart({ type, action }: JsonObject): boolean {
  return billedTypes.has(type) || (type === 'web_search_call' && objectOf(action)['type'] === 'search');
}

function containerOf(item: JsonObject): string {
  return keyOf(item['container_id']) ?? keyOf(item['id']) ?? '';
}

/**
 * Returns the calls that a vendor counts itself, which take precedence over the output items: xAI's
 * `server_side_tool_usage_details` (https://docs.x.ai/docs/guides/tools/overview), OpenRouter's
 * `server_tool_use_details`, and Volcengine's `tool_usage` (https://www.volcengine.com/docs/82379, "Responses API").
 */
function readCalls(usage: JsonObject): Partial<Pick<Usage, 'webSearch' | 'codeExecution' | 'fileSearch'>> {
  const xai = usage['server_side_tool_usage_details'];
  if (isObject(xai))
    return {
      webSearch: toCallCount(toCallCount(xai['web_search_calls']) + toCallCount(xai['x_search_calls'])),
      codeExecution: toCallCount(xai['code_interpreter_calls']),
      fileSearch: toCallCount(toCallCount(xai['file_search_calls']) + toCallCount(xai['document_search_calls'])),
    };
  const searches = Math.max(
    toCallCount(objectOf(usage['server_tool_use_details'])['web_search_requests']),
    toCallCount(objectOf(usage['server_tool_use'])['web_search_requests']),
    toCallCount(objectOf(usage['tool_usage'])['web_search']),
  );
  return searches > 0 ? { webSearch: searches } : {};
}

/** Names of Perplexity's search tools in requests and in `tool_calls_details`. Fetched pages are not counted. */
const perplexitySearches = ['search_web', 'web_search', 'people_search', 'finance_search', 'image_search'];

/**
 * Counts the searches in Perplexity's `tool_calls_details`, which has the number of each tool's invocations.
 * https://github.com/perplexityai/perplexity-node, `ResponsesUsage`
 */
function countInvokedSearches(usage: JsonObject): number {
  const tools = objectOf(usage['tool_calls_details']);
  return perplexitySearches.reduce((sum, tool) => sum + toCallCount(objectOf(tools[tool])['invocation']), 0);
}

/** Reads usage like OpenAI's other dialects, from different field names. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  return readOpenaiUsage({
    prompt_tokens: value['input_tokens'],
    completion_tokens: value['output_tokens'],
    total_tokens: value['total_tokens'],
    prompt_tokens_details: value['input_tokens_details'],
    completion_tokens_details: value['output_tokens_details'],
  });
}

export function writeUsage(usage: Usage | undefined): Record<string, unknown> | null {
  if (usage === undefined) return null;
  const { prompt_tokens, completion_tokens, ...written } = writeOpenaiUsage(usage);
  return {
    input_tokens: prompt_tokens,
    input_tokens_details: { cache_write_tokens: 0, ...objectOf(written['prompt_tokens_details']) },
    output_tokens: completion_tokens,
    output_tokens_details: written['completion_tokens_details'],
    total_tokens: written['total_tokens'],
  };
}
