import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { boundedRecord } from '../bounded-record.ts';
import { emptyData, LARGE_BODY_BYTES, listQuery, paged, routes } from '../route.ts';
import { imageRates, rates, tiers, unitName } from './price-rates.ts';

const modelPattern = z
  .string()
  .trim()
  .min(1)
  .max(128)
  .regex(/^[^*]+\*?$/, 'A * is allowed only at the end');

export const price = z.object({
  /** Model name; a trailing `*` matches every name with that prefix, and the longest match wins. */
  model: z.string(),
  type: z.enum(['tokens', 'times']),
  /** Owner of the model, by provider integer; 0 when unknown. For display. */
  channel_type: z.int(),
  /** Ratios of the legacy API: 1 is one point per token. For `times`, a call costs 1000 × input points. */
  input: z.number(),
  output: z.number(),
  rates,
  image_rates: imageRates,
  tiers,
  /** Number of the stored version, which receipts name; each save creates one. */
  version: z.int(),
  /** Protects the price from updates of the shipped list. */
  locked: z.boolean(),
});
export type Price = z.output<typeof price>;

export const savePrice = z.object({
  model: modelPattern,
  type: z.enum(['tokens', 'times']).default('tokens'),
  channel_type: z.int().min(0).default(0),
  rates,
  image_rates: imageRates,
  tiers,
  locked: z.boolean().default(true),
});

const GROUP_MAX = 500;
const REMOVED_MAX = 5_000;

/** Versions that the user has read, by model; a newer stored version causes `conflict`. */
const versionsSeen = (max: number) => boundedRecord(z.string().max(128), price.shape.version, max);

/** One price for several models. */
const savePriceGroup = savePrice.omit({ model: true }).extend({
  models: z
    .array(modelPattern)
    .min(1)
    .max(GROUP_MAX)
    .refine((models) => new Set(models).size === models.length, 'Each model can appear only once'),
  /** Models that had this price before; models that are not in `models` lose it. */
  original_models: z.array(z.string().max(128)).max(GROUP_MAX).default([]),
  versions: versionsSeen(GROUP_MAX).default({}),
});

/** Price from one moment on; versions are never changed or deleted. */
export const priceVersion = price
  .pick({ version: true, model: true, type: true, rates: true, image_rates: true, tiers: true })
  .extend({ created_at: seconds });
export type PriceVersion = z.output<typeof priceVersion>;

/** Counter that vendors bill and that a price has no rate for. */
export const missingRate = z.object({
  /** Entry of the price list. */
  model: z.string(),
  /** A unit, tokens of audio or images that were charged as text, or tokens that a price by the unit has no rate for. */
  counter: z.enum(['input', 'output', 'audioOutput', 'imageOutput', ...unitName.options]),
  /** Calls that used the counter, since it was first missing. */
  calls: z.int(),
  last_seen: seconds,
});
export type MissingRate = z.output<typeof missingRate>;

export const prices = routes({
  list: {
    method: 'GET',
    path: '/api/prices/list',
    access: 'prices.read',
    summary: 'List the prices, paginated',
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
    summary: 'Retrieve the whole price list',
    answer: z.array(price),
  },
  unpriced: {
    method: 'GET',
    path: '/api/prices/unpriced',
    access: 'prices.read',
    summary: 'List the models of channels that have no price',
    answer: z.array(z.string()),
  },
  missingRates: {
    method: 'GET',
    path: '/api/prices/missing-rates',
    access: 'prices.read',
    summary: 'List the usage counters for which prices have no rate',
    answer: z.array(missingRate),
  },
  versions: {
    method: 'GET',
    path: '/api/prices/versions/:model',
    access: 'prices.read',
    summary: 'List the newest 100 price versions of a model or pattern, newest first',
    params: z.object({ model: z.string().max(128) }),
    answer: z.array(priceVersion),
  },
  get: {
    method: 'GET',
    path: '/api/prices/single/:model',
    access: 'prices.read',
    summary: 'Retrieve the price of a model or pattern',
    params: z.object({ model: z.string().max(128) }),
    answer: price,
  },
  create: {
    method: 'POST',
    path: '/api/prices/single',
    access: 'prices.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Create a price',
    body: savePrice,
    answer: price,
  },
  update: {
    method: 'PUT',
    path: '/api/prices/single/:model',
    access: 'prices.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Update a price; the model can be renamed',
    params: z.object({ model: z.string().max(128) }),
    /** `version` is the version that the editor read; a newer stored version causes `conflict`. */
    body: savePrice.extend({
      version: price.shape.version.optional(),
      /**
       * Fields accepted from clients that send the whole price back; both follow from `rates` and must equal the
       * price's own.
       */
      input: price.shape.input.optional(),
      output: price.shape.output.optional(),
    }),
    answer: price,
  },
  remove: {
    method: 'DELETE',
    path: '/api/prices/single/:model',
    access: 'prices.write',
    summary: 'Delete a price',
    params: z.object({ model: z.string().max(128) }),
    answer: emptyData,
  },
  saveGroup: {
    method: 'PUT',
    path: '/api/prices/multiple',
    access: 'prices.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Set one price for several models, all or none',
    body: savePriceGroup,
    answer: z.object({ saved: z.int(), removed: z.int() }),
  },
  removeMany: {
    method: 'PUT',
    path: '/api/prices/multiple/delete',
    access: 'prices.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Delete several prices',
    body: z.object({
      models: z.array(z.string().max(128)).min(1).max(REMOVED_MAX),
      versions: versionsSeen(REMOVED_MAX).optional(),
    }),
    answer: z.int(),
  },
  sync: {
    method: 'POST',
    path: '/api/prices/sync',
    access: 'prices.write',
    summary: 'Import the shipped price list: `add` only new models, `update` also updates prices that are not locked',
    query: z.object({ updateMode: z.enum(['add', 'update']).default('add') }),
    answer: z.object({ added: z.int(), changed: z.int() }),
  },
});
