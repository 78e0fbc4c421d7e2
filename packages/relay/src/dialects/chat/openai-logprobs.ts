/** Log probabilities of tokens, which have the same form in both of OpenAI's chat dialects. */

import { listOf, numberOf, objectOf } from '../../json/json.ts';
import type { ResponseEvent, TokenLogprob, TokenProbability } from '../../model/conversation.ts';

export function readLogprobs(value: unknown): ResponseEvent[] {
  const tokens = listOf(value).flatMap(readToken);
  return tokens.length > 0 ? [{ type: 'logprobs', tokens }] : [];
}

function readToken(value: unknown): TokenLogprob[] {
  const top = listOf(objectOf(value)['top_logprobs']).flatMap(readProbability);
  return readProbability(value).map((token) => ({ ...token, top }));
}

function readProbability(value: unknown): TokenProbability[] {
  const { token, logprob: given, bytes: numbers } = objectOf(value);
  const logprob = numberOf(given);
  if (typeof token !== 'string' || logprob === undefined) return [];
  const bytes = listOf(numbers).filter((byte) => typeof byte === 'number');
  return [{ token, logprob, ...(bytes.length > 0 && { bytes }) }];
}

/** @param noBytes value of `bytes` if they are unknown */
export function writeLogprob({ top, ...token }: TokenLogprob, noBytes: null | []): Record<string, unknown> {
  const written = (probability: TokenProbability) => ({ ...probability, bytes: probability.bytes ?? noBytes });
  return { ...written(token), top_logprobs: top.map(written) };
}
