/** Habits that more than one vendor has. */
import { type JsonObject, listOf, objectOf } from './json.ts';
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
 * which they know as `max_completion_tokens`. The same in Chat Completions (`messages`) and in Responses (`input`).
 */
export const reasoningModelFields: Quirk = (body, target, dropped) => {
  const isChat = body['messages'] !== undefined || body['input'] !== undefined;
  if (!reasoningModel.test(target.model) || !isChat) return body;
  const effort = body['reasoning_effort'] ?? objectOf(body['reasoning'])['effort'];
  const refused = effort === 'none' ? [] : refusedByReasoningModels;
  const lost = refused.filter((field) => body[field] !== undefined);
  if (lost.length === 0 && body['max_tokens'] === undefined) return body;
  dropped.push(...lost.filter((field) => body[field] !== null));
  const kept: Record<string, unknown> = { ...body };
  for (const field of lost) delete kept[field];
  return withRenamedCap(kept);
};

/** Models by OpenAI that do not reason and answer 400 when told how hard to, or asked for encrypted thoughts. */
const plainModel = /^(gpt-[34]|chatgpt)/;
const ENCRYPTED_THOUGHTS = 'reasoning.encrypted_content';

export const plainModelFields: Quirk = (body, target, dropped) => {
  if (!plainModel.test(target.model)) return body;
  const lost = ['reasoning_effort', 'reasoning'].filter((field) => body[field] !== undefined);
  const include = listOf(body['include']);
  if (lost.length === 0 && !include.includes(ENCRYPTED_THOUGHTS)) return body;
  dropped.push(...lost.filter((field) => body[field] !== null));
  const kept: Record<string, unknown> = { ...body };
  for (const field of lost) delete kept[field];
  // Nothing is lost: there are no thoughts.
  if (include.length > 0) kept['include'] = include.filter((field) => field !== ENCRYPTED_THOUGHTS);
  return kept;
};

function withRenamedCap(body: Record<string, unknown>): JsonObject {
  const { max_tokens: cap, ...rest } = body;
  if (cap === undefined || cap === null) return rest;
  return { ...rest, max_completion_tokens: rest['max_completion_tokens'] ?? cap };
}
