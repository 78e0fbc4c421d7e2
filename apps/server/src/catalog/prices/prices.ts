/** Prices of models. Rates are whole nano-points; the ratios of the public API are computed from them. */

import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { imageRates, type Rates, rates, type Tier, tiers } from '@switchyard/contract/catalog/price-rates';
import type { Price, PriceVersion, prices } from '@switchyard/contract/catalog/prices';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { findProvider } from '@switchyard/relay';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { listOfferedModels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { contains, readPage } from '../../db/paging.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { type AppError, alreadyExists, changedSince, notFound } from '../../platform/http/app-error.ts';
import { createNameLookup } from '../../platform/model-prefix-lookup.ts';
import type { Schema } from '../../schema.ts';
import {
  insertPriceVersion,
  type PriceRow,
  presentVersion,
  type SavePrice,
  savePrices,
  toPrice,
  toPriceRow,
  type UnversionedPriceRow,
} from './stored-price.ts';

/** Shipped price list. Rates are nano-points, as in the contract. */

const shippedList = z.object({
  prices: z.array(
    z.object({
      model: z.string(),
      owner: z.string(),
      type: z.enum(['tokens', 'times']).default('tokens'),
      rates,
      image_rates: imageRates,
      tiers,
    }),
  ),
});

/** Our provider ids for the vendor names of the list's source that differ. */
const providerIds: Readonly<Record<string, string>> = { google: 'gemini', 'x-ai': 'xai', voyageai: 'voyage' };

/** Returns the channel type of the list's owner of a model; 0 if it is not one of our providers. */
export function findChannelType(owner: string): number {
  const id = Object.hasOwn(providerIds, owner) ? providerIds[owner] : undefined;
  return findProvider(id ?? owner)?.channelType ?? 0;
}

export interface ShippedPrice {
  model: string;
  /** Channel type of the owner, for display; 0 if it is not one of our providers. */
  channelType: number;
  type: 'tokens' | 'times';
  rates: Rates;
  imageRates: Readonly<Record<string, number>>;
  tiers: Tier[];
}

/**
 * Reads the shipped prices from their file with each call, because they are only needed at the first start and on
 * request.
 */
export function readShippedPrices(): ShippedPrice[] {
  const text = readFileSync(new URL('./shipped-prices.json', import.meta.url), 'utf8');
  return shippedList
    .parse(JSON.parse(text))
    .prices.map(({ model, owner, type, rates, image_rates, tiers }) => ({
      model,
      channelType: findChannelType(owner),
      type,
      rates,
      imageRates: image_rates,
      tiers,
    }));
}

export { getMissingRates, listMissingRates, type MissingRateRecorder } from './missing-rates.ts';

export { insertPriceVersion, savePrices, toPrice, toPriceRow } from './stored-price.ts';
export { findUnlistedRates } from './unlisted-rates.ts';

type ListFilter = RouteInput<(typeof prices)['list']>['query'];
type SavePriceGroup = RouteInput<(typeof prices)['saveGroup']>['body'];

type PriceStore = Pick<Context, 'db' | 'clock' | 'changes'>;

const VERSIONS_SHOWN = 100;

const columns = { model: 'model', type: 'type', channel_type: 'channel_type', input: 'input', output: 'output' };

export async function listPrices(ctx: Context, filter: ListFilter): Promise<Page<Price>> {
  let query = ctx.db.reader.selectFrom('price').selectAll();
  if (filter.keyword !== undefined) query = query.where(contains('model', filter.keyword));
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  if (filter.channel_type !== undefined) query = query.where('channel_type', '=', filter.channel_type);
  return readPage(query, filter, { columns, fallback: 'model', tieBreak: 'model', present: toPrice });
}

/** Loads all prices, sorted by owner and model. */
export const loadPrices = cacheUntilChanged('prices', async (ctx: Context): Promise<Price[]> => {
  const rows = await ctx.db.writer.selectFrom('price').selectAll().orderBy('channel_type').orderBy('model').execute();
  return rows.map(toPrice);
});

/** Returns the price with exactly this name. @throws AppError `not-found` */
export async function getPrice(ctx: Context, model: string): Promise<Price> {
  const found = (await loadPrices(ctx)).find((price) => price.model === model);
  if (found === undefined) throw notFound('price of the model', model);
  return found;
}

/** Loads a function that returns the price of a model, matching wildcards; undefined if there is none. */
export async function loadPriceLookup(ctx: Context): Promise<(model: string) => Price | undefined> {
  return createNameLookup(await loadPrices(ctx));
}

/** Returns the versions of a model's price, newest first; a deleted price keeps its versions. */
export async function listVersions(ctx: Context, model: string): Promise<PriceVersion[]> {
  const rows = await ctx.db.reader
    .selectFrom('price_version')
    .selectAll()
    .where('model', '=', model)
    .orderBy('id', 'desc')
    .limit(VERSIONS_SHOWN)
    .execute();
  return rows.map(presentVersion);
}

/** Returns the models that enabled channels offer and no price covers. */
export async function listUnpricedModelNames(ctx: Context): Promise<string[]> {
  const priceOf = await loadPriceLookup(ctx);
  const models = new Set((await listOfferedModels(ctx)).map(({ model }) => model));
  return [...models].filter((model) => priceOf(model) === undefined).toSorted();
}

/** @throws AppError `already-exists` */
export async function createPrice(ctx: Context, input: SavePrice): Promise<Price> {
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    const created = await trx
      .insertInto('price')
      .values(await insertPriceVersion(trx, toPriceRow(input), nowSeconds(ctx.clock)))
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst();
    if (created === undefined) throw priceExistsError(input.model);
    return created;
  });
  await ctx.changes.publish({ topic: 'prices' });
  return toPrice(row);
}

/**
 * @param version the version that the user edited; undefined: any
 * @throws AppError `not-found`, `conflict` if the current version differs, or `already-exists` if the new name is
 * taken
 */
export async function updatePrice(
  ctx: Context,
  model: string,
  input: SavePrice,
  version: number | undefined,
): Promise<Price> {
  const wanted = toPriceRow(input);
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    const before = await trx.selectFrom('price').selectAll().where('model', '=', model).executeTakeFirst();
    if (before === undefined) throw notFound('price of the model', model);
    if (version !== undefined && before.version !== version) throw changedSince('price');
    // An unchanged price, as sent by tools that keep prices in a file, creates no version.
    if (isDeepStrictEqual({ ...before, ...wanted }, { ...before })) return before;
    if (input.model !== model) {
      const other = await trx.selectFrom('price').select('model').where('model', '=', input.model).executeTakeFirst();
      if (other !== undefined) throw priceExistsError(input.model);
    }
    return trx
      .updateTable('price')
      .set(await insertPriceVersion(trx, wanted, nowSeconds(ctx.clock)))
      .where('model', '=', model)
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  await ctx.changes.publish({ topic: 'prices' });
  return toPrice(row);
}

/**
 * Saves one price for several models, and removes it from the original models that are left out.
 * @throws AppError `already-exists` if a model that is not an original one has a price, `conflict` if a version
 * differs from the one that the user edited
 */
export async function savePriceGroup(
  ctx: Context,
  { models, original_models: originals, versions, ...price }: SavePriceGroup,
): Promise<{ saved: number; removed: number }> {
  const left = originals.filter((model) => !models.includes(model));
  const removed = await ctx.db.writer.transaction().execute(async (trx) => {
    await checkVersions(trx, versions);
    const others = await trx
      .selectFrom('price')
      .select('model')
      .where('model', 'in', models)
      .where('model', 'not in', originals)
      .execute();
    if (others.length > 0)
      throw alreadyExists('models', `These have prices of their own: ${others.map(({ model }) => model).join(', ')}`);
    await savePrices(
      trx,
      models.map((model) => toPriceRow({ ...price, model })),
      nowSeconds(ctx.clock),
    );
    const { numDeletedRows } = await trx.deleteFrom('price').where('model', 'in', left).executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  });
  await ctx.changes.publish({ topic: 'prices' });
  return { saved: models.length, removed };
}

/**
 * @param versions the versions that the user has seen, by model; a model that is left out: any
 * @throws AppError `conflict` if one of them was changed since
 * @returns the number of removed prices
 */
export async function removePrices(
  ctx: Context,
  models: readonly string[],
  versions: Readonly<Record<string, number>> = {},
): Promise<number> {
  const removed = await ctx.db.writer.transaction().execute(async (trx) => {
    await checkVersions(trx, versions);
    return trx.deleteFrom('price').where('model', 'in', models).executeTakeFirstOrThrow();
  });
  await ctx.changes.publish({ topic: 'prices' });
  return Number(removed.numDeletedRows);
}

/** @throws AppError `conflict` */
async function checkVersions(trx: Transaction<Schema>, versions: Readonly<Record<string, number>>): Promise<void> {
  const stored = await trx
    .selectFrom('price')
    .select(['model', 'version'])
    .where('model', 'in', Object.keys(versions))
    .execute();
  const now = new Map(stored.map(({ model, version }) => [model, version]));
  if (Object.entries(versions).some(([model, version]) => now.get(model) !== version)) throw changedSince('price');
}

export async function removePrice(ctx: Context, model: string): Promise<void> {
  if ((await removePrices(ctx, [model])) === 0) throw notFound('price of the model', model);
}

/** Adds the shipped prices to a fresh installation. */
export async function addShippedPrices(ctx: PriceStore): Promise<void> {
  await syncShippedPrices(ctx, 'add');
}

/** Synchronizes the shipped prices: `add` adds new models only; `update` also changes prices that are not locked. */
export async function syncShippedPrices(
  ctx: PriceStore,
  mode: 'add' | 'update',
): Promise<{ added: number; changed: number }> {
  const shipped = readShippedPrices().map(({ model, channelType, type, rates, imageRates, tiers }) =>
    toPriceRow({ model, type, channel_type: channelType, rates, image_rates: imageRates, tiers, locked: false }),
  );
  const counts = await ctx.db.writer.transaction().execute(async (trx) => {
    const known = new Map((await trx.selectFrom('price').selectAll().execute()).map((row) => [row.model, row]));
    const added = shipped.filter((row) => !known.has(row.model));
    const changed = mode === 'add' ? [] : shipped.filter((row) => isOutdated(known.get(row.model), row));
    await savePrices(trx, [...added, ...changed], nowSeconds(ctx.clock));
    return { added: added.length, changed: changed.length };
  });
  await ctx.changes.publish({ topic: 'prices' });
  return counts;
}

function isOutdated(known: PriceRow | undefined, shipped: UnversionedPriceRow): boolean {
  if (known === undefined || known.locked === 1) return false;
  return (
    known.rates !== shipped.rates ||
    known.image_rates !== shipped.image_rates ||
    known.tiers !== shipped.tiers ||
    known.type !== shipped.type ||
    known.channel_type !== shipped.channel_type
  );
}

const priceExistsError = (model: string): AppError => alreadyExists('model', `${model} already has a price`);
