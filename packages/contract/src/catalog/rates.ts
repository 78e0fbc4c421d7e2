/** Rates of one token, call or unit: the numbers of a price list, before any ratio. */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';

/**
 * A rate is in nano-points for one token (or one call, image, second, character): 1,000,000,000 is one point, which
 * is 2 USD for a million tokens. The incumbent's "ratio" 1 is the same price.
 */
export const NANO_POINTS_PER_POINT = 1_000_000_000;
/** 1 USD for a million tokens, in nano-points for a token. */
export const RATE_OF_USD_PER_MILLION = 500_000_000;
/** 1 USD for one call, image or second, in nano-points. */
export const RATE_OF_USD_PER_UNIT = 500_000_000_000_000;

/** Multiplier of prices. */
export const ratio = z.number().min(0).max(1_000);

/** Rate of at most 10 USD for one unit. */
export const rate = z.int().min(0).max(5_000_000_000_000_000);
const ownRate = rate.nullable().default(null);

/** A counter without its own rate is charged like `input` or `output`, whichever it belongs to. */
export const tokenRates = z.object({
  input: rate,
  output: rate,
  cachedRead: ownRate,
  cacheWrite5m: ownRate,
  cacheWrite1h: ownRate,
  reasoning: ownRate,
  audioInput: ownRate,
  audioOutput: ownRate,
  imageInput: ownRate,
  imageOutput: ownRate,
});
export type TokenRates = z.output<typeof tokenRates>;

/** Rates of tokens and of other units; a unit without its own rate is free. */
export const rates = tokenRates.extend({
  /** Rate of each call of a tool that the vendor runs. */
  webSearch: ownRate,
  /** An answer grounded with Google Maps or, where the vendor bills queries, a query of Google Maps. */
  mapsGrounding: ownRate,
  codeExecution: ownRate,
  fileSearch: ownRate,
  /** Rate of a query over at most a hundred documents, where reranking is billed by query. */
  search: ownRate,
  /** Rate of an image whose size and quality `image_rates` does not name. */
  image: ownRate,
  /** Rate of a second of audio, or of video whose size `image_rates` does not name. */
  second: ownRate,
  /** Rate of a character of text that is spoken. */
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

/** Rates for one image, or one second of film, by its size and quality. */
export const imageRates = boundedRecord(imageVariant, rate, 5_000).default({});

/** The token rates of a call whose whole prompt has more than `above` tokens. */
export const tier = z.object({ above: z.int().min(1).max(100_000_000), rates: tokenRates });
export type Tier = z.output<typeof tier>;

/** Each replaces the price's token rates for the whole call; lowest first. */
export const tiers = z
  .array(tier)
  .max(10)
  .refine(
    (list) => new Set(list.map(({ above }) => above)).size === list.length,
    'Each tier must start at a different value',
  )
  .default([]);
