/** Comparison of the operator's models and prices with lists of others: compared, approved, applied. */
import { z } from 'zod';
import { seconds } from '../accounts/account.ts';
import { trustedAddress } from '../operations/setting-schemas.ts';
import { emptyData, IMPORT_BODY_MAX_VALUES, LARGE_BODY_BYTES, routes } from '../route.ts';

/** Maximum size of a list, in bytes as it is received. */
export const LIST_MAX_BYTES = 8 * 1024 * 1024;
/** Maximum number of entries of one list. */
export const LIST_ENTRIES_MAX = 10_000;
/** A price that becomes so many times as high or as low is asked about once more. */
export const EXTREME_FACTOR = 1_000;
/** Days before a model's retirement in which it is warned of. */
export const RETIRES_SOON_DAYS = 30;

const modelName = z.string().trim().min(1).max(128);

const listAtAddress = z.object({ from: z.literal('url'), url: trustedAddress.pipe(z.string().min(1)) });
const listAsText = z.object({ from: z.literal('text'), text: z.string().min(1).max(LIST_MAX_BYTES) });

/** Any list of somebody else's. */
export const externalSource = z.discriminatedUnion('from', [listAtAddress, listAsText]);
export type ExternalSource = z.output<typeof externalSource>;

const listSource = z.discriminatedUnion('from', [
  /** Source of the list that is shipped with the product. */
  z.object({ from: z.literal('shipped') }),
  listAtAddress,
  listAsText,
]);
export type ListSource = z.output<typeof listSource>;

/** Format of a list. `ratios` is One Hub's price list. */
export const listFormat = z.enum(['switchyard', 'ratios', 'new-api', 'models.dev', 'litellm']);
export type ListFormat = z.output<typeof listFormat>;

/** Rates in nano-points, words and dates as text, lists with commas; null: nothing. */
const value = z.union([z.string(), z.number(), z.null()]);

const change = z.object({
  /** `type`, `owner`, `rates.input`, `tiers.200000.output`, `images.1024x1024`, `context_length`, `retires`, … */
  field: z.string(),
  before: value,
  after: value,
});
export type CatalogueChange = z.output<typeof change>;

const line = z.object({
  model: z.string(),
  kind: z.enum(['added', 'changed', 'gone']),
  /** Price type once the line is applied. */
  type: z.enum(['tokens', 'times']),
  /** No refresh touches it. */
  locked: z.boolean(),
  /** A rate becomes a thousand times as high or as low, or free. */
  extreme: z.boolean(),
  /** The price's version that was compared; 0: there was none. */
  version: z.int(),
  changes: z.array(change),
});
export type CatalogueLine = z.output<typeof line>;

/** An entry that was left out, and where it stands in the list. */
const problem = z.object({ place: z.string(), model: z.string(), rule: z.string(), message: z.string() });
export type ListProblem = z.output<typeof problem>;

const comparison = z.object({
  id: z.int(),
  /** An address, `shipped` or `text`. */
  source: z.string(),
  format: listFormat,
  created_time: seconds,
  /** Number of entries that could be read. */
  entries: z.int(),
  lines: z.array(line),
  /** The first hundred. */
  problems: z.array(problem),
  problem_count: z.int(),
});
export type Comparison = z.output<typeof comparison>;

/** `add`: new models. `update`: also what changed. `overwrite`: also deletes what the list does not have. */
export const applyMode = z.enum(['add', 'update', 'overwrite']);
export type ApplyMode = z.output<typeof applyMode>;

/** Why a list was not read. */
export const listRefusal = z.enum([
  'address-not-allowed',
  'no-answer',
  'list-too-long',
  'bad-json',
  'unknown-list',
  'empty-list',
  'unknown-currency',
]);
export type ListRefusal = z.output<typeof listRefusal>;

/** Nano-points for a token of input and output, or for a call. */
const shortPrice = z.object({ type: z.enum(['tokens', 'times']), input: z.number(), output: z.number() });
export type ShortPrice = z.output<typeof shortPrice>;

const notices = z.object({
  /** Outcome of the last scheduled refresh; null when no refresh of the configured address has run. */
  refresh: z
    .object({
      /** Without its query. */
      address: z.string(),
      tried_time: seconds,
      /** When it was read last; 0: never. */
      read_time: seconds,
      next_time: seconds,
      problem: listRefusal.nullable(),
    })
    .nullable(),
  /** The scheduled refresh found something to approve. */
  pending: z.object({ id: z.int(), changes: z.int(), created_time: seconds }).nullable(),
  /** Offered by an enabled channel, and no price covers them. */
  unpriced: z.array(
    z.object({
      model: z.string(),
      /** Nano-points for a token of input and output, from the shipped list; null: not known. */
      suggested: z.object({ input: z.number(), output: z.number() }).nullable(),
    }),
  ),
  /** Asked for at a vendor by an enabled channel, and retired there, or within 30 days. */
  retiring: z.array(
    z.object({
      model: z.string(),
      retires: z.iso.date(),
      retired: z.boolean(),
      /** Replacement that the data names; null when there is none. */
      successor: z.string().nullable(),
      /** Null: no price covers it. */
      price: shortPrice.nullable(),
      successor_price: shortPrice.nullable(),
    }),
  ),
});
export type CatalogueNotices = z.output<typeof notices>;

const byId = z.object({ id: z.coerce.number().int().min(1) });
const channelsChanged = z.object({ channels: z.int() });

export const catalogue = routes({
  notices: {
    method: 'GET',
    path: '/api/catalogue/notices',
    access: 'prices.read',
    summary: 'Retrieve what needs attention: models without a price, retiring models, changes to approve',
    answer: notices,
  },
  compare: {
    method: 'POST',
    path: '/api/catalogue/compare',
    access: 'prices.write',
    summary: 'Read a list of models and prices and compare it; changes nothing',
    bodyMaxBytes: LIST_MAX_BYTES,
    body: listSource,
    answer: comparison,
  },
  get: {
    method: 'GET',
    path: '/api/catalogue/list/:id',
    access: 'prices.read',
    summary: 'Compare a stored list with the current state',
    params: byId,
    answer: comparison,
  },
  apply: {
    method: 'POST',
    path: '/api/catalogue/list/:id/apply',
    access: 'prices.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    bodyMaxValues: IMPORT_BODY_MAX_VALUES,
    summary: 'Apply the selected lines of a comparison, all or none; each price gets a new version',
    params: byId,
    body: z.object({
      mode: applyMode,
      lines: z
        .array(z.object({ model: modelName, version: z.int().min(0) }))
        .min(1)
        .max(2 * LIST_ENTRIES_MAX),
      /** Extreme changes, too. */
      confirmed: z.boolean().default(false),
    }),
    answer: z.object({ added: z.int(), changed: z.int(), removed: z.int() }),
  },
  dismiss: {
    method: 'DELETE',
    path: '/api/catalogue/list/:id',
    access: 'prices.write',
    summary: 'Dismiss a list; the scheduled refresh does not report it again until it changes',
    params: byId,
    answer: emptyData,
  },
  lock: {
    method: 'PUT',
    path: '/api/catalogue/lock',
    access: 'prices.write',
    summary: 'Lock a model against refreshes, or unlock it',
    body: z.object({ model: modelName, locked: z.boolean() }),
    answer: emptyData,
  },
  adopt: {
    method: 'POST',
    path: '/api/catalogue/adopt',
    access: 'prices.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Apply the suggested prices to models without a price',
    body: z.object({ models: z.array(modelName).min(1).max(1000) }),
    answer: z.object({ added: z.int() }),
  },
  withdraw: {
    method: 'POST',
    path: '/api/catalogue/withdraw',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Remove models from all channels; channels without other models are disabled',
    body: z.object({
      models: z.array(modelName).min(1).max(1000),
      /** Names as clients use them, or as vendors are asked. */
      as: z.enum(['offered', 'upstream']),
    }),
    answer: channelsChanged,
  },
  replace: {
    method: 'POST',
    path: '/api/catalogue/replace',
    access: 'channels.write',
    summary: 'Map a model to another one in all channels that request it from their provider',
    body: z.object({ model: modelName, by: modelName }),
    answer: channelsChanged,
  },
});
