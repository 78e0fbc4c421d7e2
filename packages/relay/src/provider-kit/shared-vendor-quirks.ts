/** Quirks that several vendors share. */
import { type JsonObject, listOf, objectOf, textOf } from '../json/json.ts';
import { familyName } from '../model/facts-from-model-name.ts';
import type { Quirk } from '../model/provider.ts';

/**
 * OpenAI's reasoning models, with or without its prefix: the o series, and gpt-5 and newer except the chat variants.
 */
const reasoningModel = /^(?:openai\/)?(o\d|codex-|gpt-(?:[5-9]|\d\d)(?!.*-chat))/;
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
 * Adapts fields for OpenAI's reasoning models, which respond with 400 to sampling parameters (unless reasoning is
 * off) and to `max_tokens` instead of `max_completion_tokens`. Applies to Chat Completions (`messages`) and Responses
 * (`input`).
 */
export const adaptReasoningModelFields: Quirk = (body, target, dropped) => {
  const isChat = body['messages'] !== undefined || body['input'] !== undefined;
  if (!reasoningModel.test(familyName(target.model)) || !isChat) return body;
  const effort = body['reasoning_effort'] ?? objectOf(body['reasoning'])['effort'];
  const refused = effort === 'none' ? [] : refusedByReasoningModels;
  const lost = refused.filter((field) => body[field] !== undefined);
  if (lost.length === 0 && body['max_tokens'] === undefined) return body;
  dropped.push(...lost.filter((field) => body[field] !== null));
  const kept: Record<string, unknown> = { ...body };
  for (const field of lost) delete kept[field];
  return renameCap(kept);
};

/** OpenAI's models without reasoning, which respond with 400 to an effort or a request for encrypted reasoning. */
const plainModel = /^(?:openai\/)?(gpt-[34]|chatgpt)/;
const ENCRYPTED_THOUGHTS = 'reasoning.encrypted_content';

export const dropReasoningFields: Quirk = (body, target, dropped) => {
  if (!plainModel.test(familyName(target.model))) return body;
  const lost = ['reasoning_effort', 'reasoning'].filter((field) => body[field] !== undefined);
  const include = listOf(body['include']);
  if (lost.length === 0 && !include.includes(ENCRYPTED_THOUGHTS)) return body;
  // These models don't think anyway, so that `none` is no loss.
  dropped.push(...lost.filter((field) => body[field] !== null && body[field] !== 'none'));
  const kept: Record<string, unknown> = { ...body };
  for (const field of lost) delete kept[field];
  // There is no reasoning to lose.
  if (include.length > 0) kept['include'] = include.filter((field) => field !== ENCRYPTED_THOUGHTS);
  return kept;
};

function renameCap(body: Record<string, unknown>): JsonObject {
  const { max_tokens: cap, ...rest } = body;
  if (cap === undefined || cap === null) return rest;
  return { ...rest, max_completion_tokens: rest['max_completion_tokens'] ?? cap };
}

/**
 * Renames the role `developer` to `system`: compatible vendors refuse OpenAI's newer name, or read it as a user's.
 */
export const renameDeveloperRole: Quirk = (body) => {
  const messages = listOf(body['messages']);
  if (!messages.some((message) => objectOf(message)['role'] === 'developer')) return body;
  const named = messages.map((message) =>
    objectOf(message)['role'] === 'developer' ? { ...objectOf(message), role: 'system' } : message,
  );
  return { ...body, messages: named };
};

/** Renames the output cap to its older name, which compatible vendors support. */
export const renameTokenCap: Quirk = (body) => {
  const { max_completion_tokens: cap, ...rest } = body;
  if (cap === undefined || body['messages'] === undefined) return body;
  return { ...rest, max_tokens: rest['max_tokens'] ?? cap };
};

/**
 * Creates a quirk that removes fields which a vendor refuses or misinterprets. Null has no meaning, and is removed
 * without a report.
 */
export function dropFields(...fields: readonly string[]): Quirk {
  const unwanted = new Set(fields);
  return (body, _target, dropped) => {
    // A body has fewer fields than most lists.
    if (!Object.keys(body).some((field) => unwanted.has(field))) return body;
    const lost = fields.filter((field) => body[field] !== undefined);
    if (lost.length === 0) return body;
    dropped.push(...lost.filter((field) => body[field] !== null));
    return Object.fromEntries(Object.entries(body).filter(([field]) => !lost.includes(field)));
  };
}

/** Creates a quirk that gives a field the vendor's own name. */
export function renameField(field: string, own: string): Quirk {
  return (body) => {
    const { [field]: value, ...rest } = body;
    return value === undefined ? body : { ...rest, [own]: value };
  };
}

/** Creates a quirk that limits a number to the vendor's range. */
export function clampField(field: string, min: number, max: number): Quirk {
  return (body) => {
    const value = body[field];
    if (typeof value !== 'number' || (value >= min && value <= max)) return body;
    return { ...body, [field]: Math.min(Math.max(value, min), max) };
  };
}

/** Creates a quirk for some of a vendor's models. */
export function forModels(models: RegExp, quirk: Quirk): Quirk {
  return (body, target, dropped, format) => (models.test(target.model) ? quirk(body, target, dropped, format) : body);
}

/** Quirk of vendors that return a single choice regardless of `n`. */
export const limitToOneChoice: Quirk = (body, target, dropped, format) =>
  typeof body['n'] === 'number' && body['n'] > 1 ? dropFields('n')(body, target, dropped, format) : body;

/** Quirk of vendors that support JSON output, but no schema. */
export const dropJsonSchema: Quirk = (body, _target, dropped) => {
  if (objectOf(body['response_format'])['type'] !== 'json_schema') return body;
  dropped.push('response_format.json_schema');
  return { ...body, response_format: { type: 'json_object' } };
};

/** Quirk of vendors with a separate switch for thinking, which the effort doesn't turn off. */
export const disableThinkingWithoutEffort: Quirk = (body) => {
  const { reasoning_effort: effort, ...rest } = body;
  return effort === 'none' && rest['thinking'] === undefined ? { ...rest, thinking: { type: 'disabled' } } : body;
};

/** Quirk of vendors that can only switch thinking on or off, without an effort. */
export const mapEffortToSwitch: Quirk = (body) => {
  const { reasoning_effort: effort, ...rest } = body;
  if (typeof effort !== 'string' || rest['enable_thinking'] !== undefined) return body;
  return { ...rest, enable_thinking: effort !== 'none' };
};

/** Quirk of vendors whose images have a width and a height instead of a size. */
export const splitImageSize: Quirk = (body, _target, dropped) => {
  const { size, ...rest } = body;
  if (size === undefined) return body;
  const [, width, height] = /^(\d{1,5})[xX*](\d{1,5})$/.exec(textOf(size) ?? '') ?? [];
  if (width !== undefined) return { ...rest, width: Number(width), height: Number(height) };
  if (size !== null && size !== 'auto') dropped.push('size');
  return rest;
};
