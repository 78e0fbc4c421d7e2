import { z } from 'zod';
import { listQuery, nothing, paged, routes } from './route.ts';

/**
 * A rate is in nano-points for one token (or one call): 1,000,000,000 is one point, which is 2 USD for a million
 * tokens. The incumbent's "ratio" 1 is the same price.
 */
export const NANO_POINTS_PER_POINT = 1_000_000_000;
/** 1 USD for a million tokens, in nano-points for a token. */
export const RATE_OF_USD_PER_MILLION = 500_000_000;

const rate = z.int().min(0).max(1_000_000_000_000_000);

/** A counter without its own rate is charged like `input` or `output`, whichever it belongs to. */
export const rates = z.object({
  input: rate,
  output: rate,
  cachedRead: rate.nullable().default(null),
  cacheWrite5m: rate.nullable().default(null),
  cacheWrite1h: rate.nullable().default(null),
  reasoning: rate.nullable().default(null),
  audioInput: rate.nullable().default(null),
  audioOutput: rate.nullable().default(null),
  imageInput: rate.nullable().default(null),
  imageOutput: rate.nullable().default(null),
});
export type Rates = z.output<typeof rates>;

const modelPattern = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^*]+\*?$/, 'A * may only stand at the end');

export const price = z.object({
  /** A model's name; a trailing `*` matches every name that begins so, the longest match wins. */
  model: z.string(),
  type: z.enum(['tokens', 'times']),
  /** Owner of the model, by provider integer; 0 when unknown. For display. */
  channel_type: z.int(),
  /** The incumbent's ratios: 1 is one point for a token. For `times`, a call costs 1000 × input points. */
  input: z.number(),
  output: z.number(),
  rates,
  /** Updates of the shipped list leave it alone. */
  locked: z.boolean(),
});
export type Price = z.output<typeof price>;

export const savePrice = z.object({
  model: modelPattern,
  type: z.enum(['tokens', 'times']).default('tokens'),
  channel_type: z.int().min(0).default(0),
  rates,
  locked: z.boolean().default(true),
});

export const prices = routes({
  list: {
    method: 'GET',
    path: '/api/prices/list',
    access: 'admin',
    summary: 'Price list, page by page',
    query: listQuery(['model', 'type', 'channel_type', 'input', 'output'], {
      keyword: z.string().max(128).optional(),
      type: z.enum(['tokens', 'times']).optional(),
      channel_type: z.coerce.number().int().optional(),
    }),
    answer: paged(price),
  },
  all: {
    method: 'GET',
    path: '/api/prices',
    access: 'anyone',
    summary: 'The whole price list',
    answer: z.array(price),
  },
  unpriced: {
    method: 'GET',
    path: '/api/prices/unpriced',
    access: 'admin',
    summary: 'Models that channels offer and no price covers',
    answer: z.array(z.string()),
  },
  create: {
    method: 'POST',
    path: '/api/prices/single',
    access: 'admin',
    summary: 'Adds a price',
    body: savePrice,
    answer: price,
  },
  update: {
    method: 'PUT',
    path: '/api/prices/single/:model',
    access: 'admin',
    summary: 'Changes a price; the model may be renamed',
    params: z.object({ model: z.string().max(128) }),
    body: savePrice,
    answer: price,
  },
  remove: {
    method: 'DELETE',
    path: '/api/prices/single/:model',
    access: 'admin',
    summary: 'Deletes a price',
    params: z.object({ model: z.string().max(128) }),
    answer: nothing,
  },
  removeMany: {
    method: 'PUT',
    path: '/api/prices/multiple/delete',
    access: 'admin',
    summary: 'Deletes several prices',
    body: z.object({ models: z.array(z.string().max(128)).min(1).max(5000) }),
    answer: z.int(),
  },
  sync: {
    method: 'POST',
    path: '/api/prices/sync',
    access: 'admin',
    summary:
      'Brings in the shipped list: `add` only new models, `update` also changes those that are not locked',
    query: z.object({ updateMode: z.enum(['add', 'update']).default('add') }),
    answer: z.object({ added: z.int(), changed: z.int() }),
  },
});
