/** Catalog updates: external lists of models and prices are compared, approved and applied. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { trustedAddress } from '../operations/setting-schemas.ts';
import { emptyData, IMPORT_BODY_MAX_VALUES, LARGE_BODY_BYTES, routes } from '../route.ts';

/** Maximum size of a list, in bytes as it is received. */
export const LIST_MAX_BYTES = 8 * 1024 * 1024;
/** Maximum number of entries of one list. */
export const LIST_ENTRIES_MAX = 10_000;
/** Factor of a price change from which it needs a second confirmation. */
export const EXTREME_FACTOR = 1_000;
/** Days before a model's retirement in which the console warns of it. */
export const RETIRES_SOON_DAYS = 30;

const modelName = z.string().trim().min(1).max(128);

const listAtAddress = z.object({ from: z.literal('url'), url: trustedAddress.pipe(z.string().min(1)) });
const listAsText = z.object({ from: z.literal('text'), text: z.string().min(1).max(LIST_MAX_BYTES) });

/** External source of a list. */
export const externalSource = z.discriminatedUnion('from', [listAtAddress, listAsText]);
export type ExternalSource = z.output<typeof externalSource>;

const listSource = z.discriminatedUnion('from', [z.object({ from: z.literal('shipped') }), listAtAddress, listAsText]);
export type ListSource = z.output<typeof listSource>;

/** Format of a list. `ratios` is One Hub's price list. */
export const listFormat = z.enum(['switchyard', 'ratios', 'new-api', 'models.dev', 'litellm']);
export type ListFormat = z.output<typeof listFormat>;

/** Rates in nano-points; words and dates as text; lists separated by commas; null: none. */
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
  /** True if no refresh changes the price. */
  locked: z.boolean(),
  /** True if a rate changes by a factor of a thousand, or becomes free. */
  extreme: z.boolean(),
  /** Version of the price that was compared; 0: there was none. */
  version: z.int(),
  changes: z.array(change),
});
export type CatalogueLine = z.output<typeof line>;

/** Entry that was left out, and its position in the list. */
const problem = z.object({ place: z.string(), model: z.string(), rule: z.string(), message: z.string() });
export type ListProblem = z.output<typeof problem>;

const comparison = z.object({
  id: z.int(),
  /** Address, `shipped` or `text`. */
  source: z.string(),
  format: listFormat,
  created_time: seconds,
  /** Number of readable entries. */
  entries: z.int(),
  lines: z.array(line),
  /** First hundred problems. */
  problems: z.array(problem),
  problem_count: z.int(),
});
export type Comparison = z.output<typeof comparison>;

/**
 * Scope of an update. `add`: new models. `update`: also changed prices. `overwrite`: also deletes models that the
 * list lacks.
 */
export const applyMode = z.enum(['add', 'update', 'overwrite']);
export type ApplyMode = z.output<typeof applyMode>;

/** Reason why a list could not be read. */
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

/** Nano-points per token of input and output, or per call. */
const shortPrice = z.object({ type: z.enum(['tokens', 'times']), input: z.number(), output: z.number() });
export type ShortPrice = z.output<typeof shortPrice>;

const notices = z.object({
  /** Outcome of the last scheduled refresh; null when no refresh of the configured address has run. */
  refresh: z
    .object({
      /** Address without its query. */
      address: z.string(),
      tried_time: seconds,
      /** Time of the last reading; 0: never. */
      read_time: seconds,
      next_time: seconds,
      problem: listRefusal.nullable(),
    })
    .nullable(),
  /** Changes found by the scheduled refresh that wait for approval. */
  pending: z.object({ id: z.int(), changes: z.int(), created_time: seconds }).nullable(),
  /** Models that an enabled channel offers and no price covers. */
  unpriced: z.array(
    z.object({
      model: z.string(),
      /** Nano-points per token of input and output, from the shipped list; null: unknown. */
      suggested: z.object({ input: z.number(), output: z.number() }).nullable(),
    }),
  ),
  /** Models that an enabled channel requests at a vendor and that retired there, or retire within 30 days. */
  retiring: z.array(
    z.object({
      model: z.string(),
      retires: z.iso.date(),
      retired: z.boolean(),
      /** Replacement that the data names; null: none. */
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
      /** Confirms extreme changes. */
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
      /** Names that clients use, or names at the vendors. */
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
