/** Rates of one token, call or unit, before any ratio. */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';

/**
 * Rates are in nano-points per token (or call, image, second, character). 1,000,000,000 nano-points are one point;
 * one point per token is 2 USD per million tokens, which legacy price lists call ratio 1.
 */
export const NANO_POINTS_PER_POINT = 1_000_000_000;
/** 1 USD per million tokens, in nano-points per token. */
export const RATE_OF_USD_PER_MILLION = 500_000_000;
/** 1 USD per call, image or second, in nano-points. */
export const RATE_OF_USD_PER_UNIT = 500_000_000_000_000;

/**
 * Returns the rate for one-hour cache writes, relative to the rate for five-minute ones, where a price list has one
 * price for cache writes. One-hour writes of Claude cost twice the input at every vendor, five-minute ones 1.25 times;
 * other models have one lifetime.
 * https://platform.claude.com/docs/en/about-claude/pricing,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/prompt-caching,
 * https://openrouter.ai/docs/guides/best-practices/prompt-caching
 */
export function getHourlyCacheWriteFactor(model: string): number {
  return /claude/i.test(model) ? 1.6 : 1;
}

/** Factor of prices. */
export const ratio = z.number().min(0).max(1_000);

/** Rate of at most 10 USD per unit. */
export const rate = z.int().min(0).max(5_000_000_000_000_000);
const ownRate = rate.nullable().default(null);

/**
 * Rates of tokens. A counter without its own rate is charged at the rate of `input` or `output`, to which it belongs;
 * cached audio and images at the rate of `cachedRead`.
 */
export const tokenRates = z.object({
  input: rate,
  output: rate,
  /** Rate of cached text, and of cached audio and images without their own rate. */
  cachedRead: ownRate,
  cachedAudioInput: ownRate,
  cachedImageInput: ownRate,
  cacheWrite5m: ownRate,
  cacheWrite1h: ownRate,
  reasoning: ownRate,
  audioInput: ownRate,
  audioOutput: ownRate,
  imageInput: ownRate,
  imageOutput: ownRate,
});
export type TokenRates = z.output<typeof tokenRates>;

/** Rates of tokens and of other units; a unit without its own rate is free, unless `image_rates` lists sizes of it. */
export const rates = tokenRates.extend({
  /** Rate of each call of a tool that the vendor runs. */
  webSearch: ownRate,
  /** Rate of a response grounded with Google Maps or, where the vendor bills queries, of a query of Google Maps. */
  mapsGrounding: ownRate,
  codeExecution: ownRate,
  fileSearch: ownRate,
  /** Rate of a query over at most a hundred documents, where reranking is billed by query. */
  search: ownRate,
  /** Rate of an image whose size and quality `image_rates` does not name; null: the highest rate of `image_rates`. */
  image: ownRate,
  /**
   * Rate of a second of audio, or of video whose size `image_rates` does not name; null: the highest rate of
   * `image_rates`.
   */
  second: ownRate,
  /** Rate of a character of text that becomes speech. */
  character: ownRate,
});
export type Rates = z.output<typeof rates>;

/** The name of a unit that is counted beside the tokens. */
export const unitName = rates.keyof().exclude(tokenRates.keyof().options);

/** Size and quality, for instance `1024x1024/hd`; a size alone covers every quality that is not named. */
const imageVariant = z
  .string()
  .trim()
  .min(1)
  .max(64)
  .regex(/^[\w.:/-]+$/);

/** Rates of one image, or one second of video, by size and quality. */
export const imageRates = boundedRecord(imageVariant, rate, 5_000).default({});

/** Token rates of a call whose prompt has more than `above` tokens. */
export const tier = z.object({ above: z.int().min(1).max(100_000_000), rates: tokenRates });
export type Tier = z.output<typeof tier>;

/** Tiers in ascending order; each replaces the price's token rates for the whole call. */
export const tiers = z
  .array(tier)
  .max(10)
  .refine(
    (list) => new Set(list.map(({ above }) => above)).size === list.length,
    'Each tier must start at a different value',
  )
  .default([]);
