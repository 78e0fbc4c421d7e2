import { isObject, type JsonObject, objectOf } from '../json.ts';
import { callCount, emptyUsage, sharesOf, tokenCount, type Usage } from '../usage.ts';

/**
 * Reads `usage` as OpenAI and its many imitators write it. `prompt_tokens` includes cached, audio and image
 * tokens, `completion_tokens` includes reasoning and audio; the parts are taken out of the whole one after the
 * other, so that the counters always add up to what was reported.
 * Where the cached tokens stand: OpenAI `prompt_tokens_details.cached_tokens`, DeepSeek `prompt_cache_hit_tokens`,
 * Moonshot `cached_tokens`, Mistral `num_cached_tokens`; what was written to the cache at Alibaba Cloud in
 * `cache_creation_input_tokens`. Searches: Perplexity `num_search_queries`.
 * @returns undefined when there is no usage object or nothing in it; zero is a value.
 */
export function readOpenaiUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  if (value['prompt_tokens'] == null && value['completion_tokens'] == null && value['total_tokens'] == null) {
    return undefined;
  }
  const prompt = objectOf(value['prompt_tokens_details']);
  const completion = objectOf(value['completion_tokens_details']);
  const usage = emptyUsage();
  const input = sharesOf(tokenCount(value['prompt_tokens']));
  usage.cachedRead = input.take(cachedTokens(value, prompt));
  usage.cacheWrite5m = input.take(prompt['cache_write_tokens'] ?? prompt['cache_creation_input_tokens']);
  usage.audioInput = input.take(prompt['audio_tokens']);
  usage.imageInput = input.take(prompt['image_tokens']);
  usage.input = input.rest();

  const reasoning = tokenCount(completion['reasoning_tokens'] ?? value['reasoning_tokens']);
  const output = sharesOf(completionTokens(value, reasoning));
  usage.reasoning = output.take(reasoning);
  usage.audioOutput = output.take(completion['audio_tokens']);
  usage.imageOutput = output.take(completion['image_tokens']);
  usage.output = output.rest();
  usage.webSearch = callCount(value['num_search_queries']);
  return usage;
}

function cachedTokens(usage: JsonObject, prompt: JsonObject): unknown {
  return (
    prompt['cached_tokens'] ??
    usage['prompt_cache_hit_tokens'] ??
    usage['cached_tokens'] ??
    usage['num_cached_tokens']
  );
}

/** xAI leaves reasoning out of `completion_tokens`; only the total shows it. */
function completionTokens(usage: JsonObject, reasoning: number): number {
  const completion = tokenCount(usage['completion_tokens']);
  const total = tokenCount(usage['total_tokens']);
  const excludesReasoning =
    reasoning > 0 && total === tokenCount(usage['prompt_tokens']) + completion + reasoning;
  return excludesReasoning ? completion + reasoning : completion;
}

/** The last usage that an answer or a chunk carries, wherever its vendor puts it. */
export function findOpenaiUsage(body: JsonObject): Usage | undefined {
  const choices = body['choices'];
  const firstChoice = Array.isArray(choices) ? objectOf(choices[0]) : {};
  return (
    readOpenaiUsage(body['usage']) ??
    readOpenaiUsage(objectOf(firstChoice)['usage']) ??
    readOpenaiUsage(objectOf(body['x_groq'])['usage'])
  );
}

/** The overlapping counters that OpenAI's clients expect. */
export function writeOpenaiUsage(usage: Usage): Record<string, unknown> {
  const cacheWrite = usage.cacheWrite5m + usage.cacheWrite1h;
  const prompt = usage.input + usage.cachedRead + cacheWrite + usage.audioInput + usage.imageInput;
  const completion = usage.output + usage.reasoning + usage.audioOutput + usage.imageOutput;
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: usage.cachedRead,
      audio_tokens: usage.audioInput,
      ...(cacheWrite > 0 && { cache_write_tokens: cacheWrite }),
      ...(usage.imageInput > 0 && { image_tokens: usage.imageInput }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning,
      audio_tokens: usage.audioOutput,
      ...(usage.imageOutput > 0 && { image_tokens: usage.imageOutput }),
    },
  };
}
