import type { JsonObject } from '../../../json/json.ts';
import { objectOf } from '../../../json/json.ts';

/** The response around the output, as clients read it: what the client asked for is repeated. */
export function createResponseObject(request: JsonObject): Record<string, unknown> {
  const { reasoning, text, metadata } = request;
  return {
    object: 'response',
    access_programs: null,
    background: false,
    instructions: request['instructions'] ?? null,
    max_output_tokens: request['max_output_tokens'] ?? null,
    max_tool_calls: request['max_tool_calls'] ?? null,
    metadata: metadata ?? {},
    parallel_tool_calls: request['parallel_tool_calls'] ?? true,
    previous_response_id: request['previous_response_id'] ?? null,
    prompt_cache_key: request['prompt_cache_key'] ?? null,
    reasoning: { effort: null, summary: null, ...objectOf(reasoning) },
    safety_identifier: request['safety_identifier'] ?? null,
    service_tier: 'default',
    store: request['store'] ?? true,
    temperature: request['temperature'] ?? null,
    text: { format: { type: 'text' }, ...objectOf(text) },
    tool_choice: request['tool_choice'] ?? 'auto',
    tools: request['tools'] ?? [],
    top_logprobs: request['top_logprobs'] ?? 0,
    top_p: request['top_p'] ?? null,
    truncation: request['truncation'] ?? 'disabled',
    user: request['user'] ?? null,
  };
}
