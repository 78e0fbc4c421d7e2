import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import { emptyUsage, mergeReports, toCallCount, type Usage } from '../../../model/usage.ts';
import { readOpenaiUsage, writeOpenaiUsage } from '../../openai/openai-usage.ts';
import { ImageToolUsage } from './image-tool.ts';

/** Maximum containers of a response. */
const CONTAINERS_MAX = 10_000;

/**
 * Usage over the events of one response. Vendor tool calls are counted from the output items if the report doesn't
 * count them. Searches are billed, opening a found page is not; code execution is billed by container; images are the
 * usage of another model.
 * Source: OpenAI's pricing page, "Built-in tools".
 */
export class UsageReport {
  #tokens: Usage | undefined;
  #webSearches = 0;
  #fileSearches = 0;
  #hasItems = false;
  readonly #containers = new Set<string>();
  readonly #images = new ImageToolUsage();
  #reportedCalls: Partial<Pick<Usage, 'webSearch' | 'codeExecution' | 'fileSearch'>> = {};

  /** @param item completed item */
  addItem(item: JsonObject): void {
    this.#hasItems = true;
    if (item['type'] === 'image_generation_call') return this.#images.addItem(item);
    if (item['status'] === 'failed') return;
    switch (item['type']) {
      case 'web_search_call':
      case 'x_search_call':
        if ((objectOf(item['action'])['type'] ?? 'search') === 'search') this.#webSearches++;
        break;
      case 'file_search_call':
        this.#fileSearches++;
        break;
      case 'code_interpreter_call':
        if (this.#containers.size < CONTAINERS_MAX)
          this.#containers.add(textOf(item['container_id']) ?? textOf(item['id']) ?? '');
        break;
      default:
    }
  }

  addPartialImage(event: JsonObject): void {
    this.#images.addPartial(event);
  }

  /** @param response final response, which repeats all items */
  addResponse(response: JsonObject): void {
    this.#images.addResponse(response);
    if (!this.#hasItems) for (const item of listOf(response['output'])) this.addItem(objectOf(item));
    this.addTokens(response);
  }

  /** Adds the tokens that any event reports; before the end they are usually null. */
  addTokens(response: JsonObject): void {
    this.#reportedCalls = { ...this.#reportedCalls, ...readCalls(objectOf(response['usage'])) };
    const tokens = readUsage(response['usage']);
    if (tokens !== undefined) this.#tokens = mergeReports(this.#tokens, tokens);
  }

  get usage(): Usage | undefined {
    const calls = {
      webSearch: toCallCount(this.#webSearches),
      fileSearch: toCallCount(this.#fileSearches),
      codeExecution: this.#containers.size,
      ...this.#reportedCalls,
    };
    const others = this.#images.usage;
    const hasCalls = others.length > 0 || Object.values(calls).some((count) => count > 0);
    if (this.#tokens === undefined && !hasCalls) return undefined;
    return { ...(this.#tokens ?? emptyUsage()), ...calls, ...(others.length > 0 && { others }) };
  }
}

/**
 * Returns the calls that a vendor counts itself, which take precedence over the output items: xAI's
 * `server_side_tool_usage_details` (https://docs.x.ai/docs/guides/tools/overview) and OpenRouter's
 * `server_tool_use_details`.
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
    ...['server_tool_use_details', 'server_tool_use'].map((name) =>
      toCallCount(objectOf(usage[name])['web_search_requests']),
    ),
  );
  return searches > 0 ? { webSearch: searches } : {};
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
