/** Fits the body of a chat request to what its target takes, in the target's dialect. */

import { decodeEffort } from '../dialects/chat/openai-request-fields.ts';
import { isObject, type JsonObject } from '../json/json.ts';
import type { UpstreamFormatId } from '../model/format-id.ts';
import { nearestEffort } from './effort-words.ts';
import { withoutCacheMarks, withoutGoogleExtras } from './foreign-fields.ts';
import { withThoughts } from './required-thoughts.ts';
import { hasSystemFirst, withSystemFirst } from './system-first.ts';
import type { TargetFeatures } from './target-features.ts';

/**
 * The same object when the target takes all of it. What a client wrote in the target's own dialect goes along unless the
 * target is known to refuse it.
 * @param isTranslated the body was written here
 * @param dropped takes the names of what is left out
 */
export function fitBody(
  body: JsonObject,
  format: UpstreamFormatId,
  features: TargetFeatures,
  { isTranslated, dropped }: { isTranslated: boolean; dropped: string[] },
): JsonObject {
  const isChat = format === 'openai-chat';
  let fitted = body;
  if (isChat || format === 'openai-responses') fitted = fitEffort(fitted, features, dropped);
  if (features.systemTurns === 'first' && hasSystemFirst(format)) fitted = withSystemFirst(fitted, format);
  const hasThoughts = isChat || format === 'anthropic-messages';
  if (hasThoughts && features.earlierThoughts === 'required') fitted = withThoughts(fitted, format);
  if (!isChat) return fitted;
  if (features.webSearch === 'refused') fitted = withoutSearch(fitted, dropped);
  if (features.cacheMarks === 'refused') fitted = withoutCacheMarks(fitted, dropped);
  const { googleExtras } = features;
  const isRefused = googleExtras === 'refused' || (isTranslated && googleExtras === 'unknown');
  return isRefused ? withoutGoogleExtras(fitted) : fitted;
}

/** The option of models made for searching, which others refuse. */
function withoutSearch(body: JsonObject, dropped: string[]): JsonObject {
  const { web_search_options: options, ...rest } = body;
  if (options === undefined) return body;
  if (options !== null) dropped.push('web_search_options');
  return rest;
}

/** The word stands in `reasoning_effort` in Chat Completions and in `reasoning.effort` in Responses. */
function fitEffort(body: JsonObject, { efforts }: TargetFeatures, dropped: string[]): JsonObject {
  if (efforts === 'any') return body;
  const { reasoning_effort: inChat, ...rest } = body;
  if (inChat !== undefined) {
    const word = wordFor(inChat, efforts);
    if (word === inChat) return body;
    if (word === undefined) dropEffort(inChat, 'reasoning_effort', dropped);
    return word === undefined ? rest : { ...body, reasoning_effort: word };
  }
  if (!isObject(body['reasoning'])) return body;
  const { effort, ...others } = body['reasoning'];
  const word = wordFor(effort, efforts);
  if (word === effort) return body;
  if (word === undefined) dropEffort(effort, 'reasoning.effort', dropped);
  if (word !== undefined) return { ...body, reasoning: { ...others, effort: word } };
  const { reasoning: _reasoning, ...unsaid } = body;
  return Object.keys(others).length > 0 ? { ...unsaid, reasoning: others } : unsaid;
}

/** Returns the target's word for an effort. A word of no vendor is passed on, for the target to refuse. */
function wordFor(said: unknown, efforts: Exclude<TargetFeatures['efforts'], 'any'>): unknown {
  const word = decodeEffort(said);
  return word === undefined ? said : nearestEffort(word, efforts);
}

/** Names the loss. A client that wants no thinking loses nothing at a model without any. */
function dropEffort(said: unknown, name: string, dropped: string[]): void {
  if (said !== 'none') dropped.push(name);
}
