import { isObject, type JsonObject, numberOf, objectOf, objectsIn } from '../../json/json.ts';
import { reconcileTokens } from '../../model/reconcile-tokens.ts';
import {
  cachedTokens,
  emptyUsage,
  markUntimed,
  mergeReports,
  outputTokens,
  promptTokens,
  sumChoices,
  toCallCount,
  toTokenCount,
  type Usage,
} from '../../model/usage.ts';
import { CHOICES_MAX } from '../../translate/response-choices.ts';

/**
 * Reads `usage` in the form of OpenAI and its many compatible vendors; `reconcileTokens` determines which parts the
 * totals include. Cached tokens: OpenAI `prompt_tokens_details.cached_tokens`, DeepSeek `prompt_cache_hit_tokens`,
 * Moonshot `cached_tokens`, Mistral `num_cached_tokens`, LiteLLM `cache_read_input_tokens`. Cache writes: Alibaba
 * Cloud and LiteLLM `cache_creation_input_tokens`; LiteLLM has Claude's one-hour writes in
 * `cache_creation_token_details`, OpenRouter reports no lifetime
 * (https://openrouter.ai/docs/guides/best-practices/prompt-caching). Cached audio and images:
 * `cached_tokens_details`, as in OpenAI's Realtime API and in `writeOpenaiUsage`.
 * @returns undefined without a usage object or values in it; zero is a value.
 */
export function readOpenaiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if (value['prompt_tokens'] == null && value['completion_tokens'] == null && value['total_tokens'] == null) {
    return undefined;
  }
  const prompt = objectOf(value['prompt_tokens_details']);
  const completion = objectOf(value['completion_tokens_details']);
  const cached = prompt['cached_tokens_details'];
  const written = toTokenCount(
    firstReported(
      prompt['cache_write_tokens'],
      prompt['cache_creation_input_tokens'],
      value['cache_creation_input_tokens'],
    ),
  );
  const lifetimes = objectOf(prompt['cache_creation_token_details']);
  const cacheWrite1h = Math.min(written, toTokenCount(lifetimes['ephemeral_1h_input_tokens']));
  const untimed = written - cacheWrite1h - toTokenCount(lifetimes['ephemeral_5m_input_tokens']);
  const tokens = reconcileTokens({
    prompt: value['prompt_tokens'],
    completion: value['completion_tokens'],
    total: value['total_tokens'],
    parts: {
      cachedRead: firstReported(prompt['cached_tokens'], ...cachedFields.map((name) => value[name])),
      cacheWrite5m: written - cacheWrite1h,
      cacheWrite1h,
      audioInput: prompt['audio_tokens'],
      imageInput: prompt['image_tokens'],
      reasoning: firstReported(completion['reasoning_tokens'], value['reasoning_tokens']),
      audioOutput: completion['audio_tokens'],
      imageOutput: completion['image_tokens'],
    },
    ...(isObject(cached) && { cachedMedia: { audio: cached['audio_tokens'], image: cached['image_tokens'] } }),
  });
  return {
    ...emptyUsage(),
    ...tokens,
    input: tokens.input + readCitationTokens(value),
    webSearch: countSearches(value),
    second: toTokenCount(value['prompt_audio_seconds']),
    ...markUntimed(untimed),
  };
}

const cachedFields = ['prompt_cache_hit_tokens', 'cached_tokens', 'num_cached_tokens', 'cache_read_input_tokens'];

/** Returns the first non-zero value; OpenRouter and upstreams written in Go write zeros beside the true field. */
function firstReported(...values: readonly unknown[]): unknown {
  return values.find((value) => value != null && value !== 0);
}

/**
 * Counts web searches: Perplexity `num_search_queries`, OpenRouter `server_tool_use_details` (its reference, "Usage
 * accounting") or `server_tool_use`, LiteLLM `prompt_tokens_details` (https://docs.litellm.ai/docs/completion/web_search),
 * xAI `num_sources_used`, Alibaba Cloud `plugins.search.count`.
 */
function countSearches(usage: JsonObject): number {
  return toCallCount(
    firstReported(
      usage['num_search_queries'],
      objectOf(usage['server_tool_use_details'])['web_search_requests'],
      objectOf(usage['server_tool_use'])['web_search_requests'],
      objectOf(usage['prompt_tokens_details'])['web_search_requests'],
      usage['num_sources_used'],
      objectOf(objectOf(usage['plugins'])['search'])['count'],
    ),
  );
}

/**
 * Returns the sources that Perplexity's deep research has read, which it bills as input, but reports outside of the
 * prompt and the total. Its other models, which report no reasoning, read theirs for nothing.
 * https://docs.perplexity.ai/docs/getting-started/pricing
 */
function readCitationTokens({ reasoning_tokens, citation_tokens }: JsonObject): number {
  return reasoning_tokens === undefined ? 0 : toTokenCount(citation_tokens);
}

/** Returns the usage of a response, in any of the vendors' positions. */
export function findOpenaiUsage(body: JsonObject): Usage | undefined {
  const reports = new OpenaiReports();
  reports.add(body);
  return reports.usage;
}

/**
 * Reports of one response or stream, merged by their scope: `usage`, and Groq's `x_groq.usage`, are about the response,
 * `usage` in a choice, as in Moonshot's streams, is about this choice. Choices have one prompt, and each its own output. A
 * report about the response takes precedence, unless it has less output than a single choice.
 */
export class OpenaiReports {
  #response: Usage | undefined;
  /** Usage by the choice's index; absent until a choice reports. */
  #choices: Map<number, Usage> | undefined;

  /** @returns whether the response or chunk reports usage */
  add(body: JsonObject): boolean {
    const usage = readOpenaiUsage(body['usage']) ?? readOpenaiUsage(objectOf(body['x_groq'])['usage']);
    if (usage !== undefined) this.#response = mergeReports(this.#response, usage);
    let isReported = usage !== undefined;
    for (const [position, choice] of objectsIn(body['choices']).entries())
      isReported = this.#addChoice(choice, position) || isReported;
    return isReported;
  }

  #addChoice(choice: JsonObject, position: number): boolean {
    const usage = readOpenaiUsage(choice['usage']);
    if (usage === undefined) return false;
    const index = numberOf(choice['index']) ?? position;
    this.#choices ??= new Map();
    if (this.#choices.has(index) || this.#choices.size < CHOICES_MAX)
      this.#choices.set(index, mergeReports(this.#choices.get(index), usage));
    return true;
  }

  get usage(): Usage | undefined {
    if (this.#choices === undefined) return this.#response;
    const choices = [...this.#choices.values()];
    const output = Math.max(...choices.map(outputTokens));
    if (this.#response !== undefined && outputTokens(this.#response) >= output) return this.#response;
    return mergeReports(this.#response, sumChoices(choices));
  }
}

/** Writes the overlapping counters that OpenAI's clients expect. */
export function writeOpenaiUsage(usage: Usage): Record<string, unknown> {
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h;
  const prompt = promptTokens(usage);
  const completion = outputTokens(usage);
  const { cachedRead, cachedAudioInput, cachedImageInput } = usage;
  const image = usage.imageInput + cachedImageInput;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: cachedTokens(usage),
      audio_tokens: usage.audioInput + cachedAudioInput,
      ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
      ...(image > 0 && { image_tokens: image }),
      ...(cachedAudioInput + cachedImageInput > 0 && {
        cached_tokens_details: {
          text_tokens: cachedRead,
          audio_tokens: cachedAudioInput,
          image_tokens: cachedImageInput,
        },
      }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput > 0 && { image_tokens: usage.imageOutput }),
    },
  };
}
