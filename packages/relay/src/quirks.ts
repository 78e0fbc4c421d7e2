/** Habits that more than one vendor has. */
import type { JsonObject } from './json.ts';
import type { Quirk } from './provider.ts';

/** OpenAI's models that reason: the o series, and gpt-5 and newer except the chat variants. */
const reasoningModel = /^(o\d|gpt-(?:[5-9]|\d\d)(?!.*-chat))/;
const refusedByReasoningModels = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
] as const;

/**
 * OpenAI's reasoning models answer 400 to sampling parameters (unless told not to reason) and to `max_tokens`,
 * which they know as `max_completion_tokens`.
 */
export const reasoningModelFields: Quirk = (body, target, dropped) => {
  if (!reasoningModel.test(target.model) || body['messages'] === undefined) return body;
  const refused = body['reasoning_effort'] === 'none' ? [] : refusedByReasoningModels;
  const lost = refused.filter((field) => body[field] !== undefined);
  if (lost.length === 0 && body['max_tokens'] === undefined) return body;
  dropped.push(...lost.filter((field) => body[field] !== null));
  const kept: Record<string, unknown> = { ...body };
  for (const field of lost) delete kept[field];
  return withRenamedCap(kept);
};

/** Models by OpenAI that do not reason and answer 400 when told how hard to. */
const plainModel = /^(gpt-[34]|chatgpt)/;

export const plainModelFields: Quirk = (body, target, dropped) => {
  if (!plainModel.test(target.model) || body['reasoning_effort'] === undefined) return body;
  const { reasoning_effort: _effort, ...rest } = body;
  dropped.push('reasoning_effort');
  return rest;
};

function withRenamedCap(body: Record<string, unknown>): JsonObject {
  const { max_tokens: cap, ...rest } = body;
  if (cap === undefined || cap === null) return rest;
  return { ...rest, max_completion_tokens: rest['max_completion_tokens'] ?? cap };
}
