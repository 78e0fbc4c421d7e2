/** Lists of models and prices: reads them, compares them with the present state, and applies the approved changes. */

import {
  type CatalogueNotices,
  type Comparison,
  type catalogue,
  type ExternalSource,
  type ListSource,
  RETIRES_SOON_DAYS,
  type ShortPrice,
} from '@switchyard/contract/catalog/catalog-updates';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import { listOfferedModels } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import { loadMetadataLists, loadModelMetadata, readShippedModels, saveModelMetadata } from '../models/models.ts';
import {
  insertPriceVersion,
  listUnpricedModelNames,
  loadPriceLookup,
  readShippedPrices,
  savePrices,
  toPriceRow,
} from '../prices/prices.ts';
import { buildProposedMetadata, buildProposedPrice, type CurrentState, compareList } from './compare-price-list.ts';
import {
  buildComparison,
  findShippedPrice,
  readCurrentState,
  readPendingChanges,
  toComparedList,
} from './compare-with-current-state.ts';
import { fetchList, parseList, redactUrl } from './fetch-and-parse-price-list.ts';
import { type CatalogueEntry, type ParsedList, readList } from './read-price-list.ts';
import { readLastRefresh } from './scheduled-price-list-refresh.ts';
import { findList, markDecided, storeList } from './stored-price-list.ts';

/** Catalogue announcements for operators: models without a price, models about to retire, changes to approve. */

const SECONDS_PER_DAY = 86_400;

/** Reads the notifications of the catalog. Slow parts are cached, so the cost does not depend on the number of channels. */
export async function readCatalogueNotices(ctx: Context): Promise<CatalogueNotices> {
  return {
    refresh: await readLastRefresh(ctx),
    pending: await readPendingChanges(ctx),
    unpriced: await listUnpricedModels(ctx),
    retiring: await listRetiringModels(ctx),
  };
}

const listUnpricedModels = cacheUntilChanged(
  ['channels', 'prices'],
  async (ctx: Context): Promise<CatalogueNotices['unpriced']> =>
    (await listUnpricedModelNames(ctx)).map((model) => {
      const rates = findShippedPrice(model)?.rates;
      return { model, suggested: rates === undefined ? null : { input: rates.input, output: rates.output } };
    }),
);

/**
 * Adds suggested prices, except for models that have a price or no suggestion. @returns the models that got a price
 */
export async function applySuggestedPrices(ctx: Context, models: readonly string[]): Promise<string[]> {
  const priceOf = await loadPriceLookup(ctx);
  const rows = [...new Set(models)].flatMap((model) => {
    const price = priceOf(model) === undefined ? findShippedPrice(model) : undefined;
    if (price === undefined) return [];
    const { channelType: channel_type, type, rates, imageRates: image_rates, tiers } = price;
    return [toPriceRow({ model, type, channel_type, rates, image_rates: { ...image_rates }, tiers, locked: false })];
  });
  await ctx.db.writer.transaction().execute((trx) => savePrices(trx, rows, nowSeconds(ctx.clock)));
  await ctx.changes.publish({ topic: 'prices' });
  return rows.map(({ model }) => model);
}

async function listRetiringModels(ctx: Context): Promise<CatalogueNotices['retiring']> {
  const now = nowSeconds(ctx.clock);
  const today = formatDate(now);
  const soon = formatDate(now + RETIRES_SOON_DAYS * SECONDS_PER_DAY);
  const ending = await listModelRetirements(ctx);
  return ending
    .filter(({ retires }) => retires <= soon)
    .map((model) => ({ ...model, retired: model.retires <= today }));
}

/** Returns the retirement dates of the models that are requested from providers, however far in the future. */
const listModelRetirements = cacheUntilChanged(['channels', 'models', 'prices'], async (ctx: Context) => {
  const factsOf = await loadModelMetadata(ctx);
  const upstreamModels = new Set((await listOfferedModels(ctx)).flatMap(({ upstream }) => upstream));
  const priceOf = await loadPriceLookup(ctx);
  const shortPrice = (model: string | null): ShortPrice | null => {
    const price = model === null ? undefined : priceOf(model);
    if (price === undefined) return null;
    return { type: price.type, input: price.rates.input, output: price.rates.output };
  };
  return [...upstreamModels].toSorted().flatMap((model) => {
    const { retires, successor = null } = factsOf(model) ?? {};
    if (retires === undefined) return [];
    return [{ model, retires, successor, price: shortPrice(model), successor_price: shortPrice(successor) }];
  });
});

const formatDate = (time: number): string => new Date(time * 1000).toISOString().slice(0, 10);

export { findShippedPrice } from './compare-with-current-state.ts';
export { refreshCatalogue } from './scheduled-price-list-refresh.ts';

type Applied = RouteResponse<(typeof catalogue)['apply']>;
type Approval = RouteInput<(typeof catalogue)['apply']>['body'];

/** Stores a list and compares it. Nothing else changes. @throws AppError at the field of the list */
export async function compareSource(ctx: Context, source: ListSource): Promise<Comparison> {
  const list = await storeList(ctx, describeSource(source), await readSource(ctx, source), false);
  return buildComparison(list, await readCurrentState(ctx.db.writer, (await loadMetadataLists(ctx)).findMetadata));
}

/** Compares a stored list with the present state. @throws AppError `not-found` */
export async function compareStoredList(ctx: Context, id: number): Promise<Comparison> {
  return buildComparison(
    await findList(ctx.db.writer, id),
    await readCurrentState(ctx.db.writer, (await loadMetadataLists(ctx)).findMetadata),
  );
}

/**
 * Applies all chosen lines, or none. @throws AppError `conflict` if one has changed since the approval; at
 * `confirmed` if one is extreme
 */
export async function applyList(
  ctx: Context,
  id: number,
  { mode, lines: chosen, confirmed }: Approval,
): Promise<Applied & { source: string }> {
  const { findMetadata } = await loadMetadataLists(ctx);
  const applied = await ctx.db.writer.transaction().execute(async (trx) => {
    await markDecided(trx, id);
    const list = await findList(trx, id);
    const present = await readCurrentState(trx, findMetadata);
    const compared = toComparedList(list);
    const lines = new Map(compareList(compared, present).map((line) => [line.model, line]));
    const approved = chosen.map(({ model, version }) => {
      const line = lines.get(model);
      if (line === undefined || line.version !== version || line.locked)
        throw new AppError('conflict', `${model} has changed since the list was compared`);
      if ((line.kind === 'changed' && mode === 'add') || (line.kind === 'gone' && mode !== 'overwrite'))
        throw fieldError('mode', 'not-in-mode', `The mode ${mode} does not change ${model}`);
      return line;
    });
    const extreme = approved.filter((line) => line.extreme);
    if (extreme.length > 0 && !confirmed)
      throw fieldError(
        'confirmed',
        'extreme',
        `These prices would become free or change by a factor of 1,000 or more: ${extreme
          .slice(0, 5)
          .map(({ model }) => model)
          .join(', ')}`,
      );
    if (approved.some(({ kind }) => kind === 'gone') && !confirmed)
      throw fieldError('confirmed', 'required', 'Prices that are not in the list would be deleted. Confirm this.');
    const entries = new Map(list.entries.map((entry) => [entry.model, entry]));
    const wanted = approved.flatMap(({ model, kind }) => (kind === 'gone' ? [] : (entries.get(model) ?? [])));
    await savePrices(trx, priceRows(wanted, present), nowSeconds(ctx.clock));
    await saveModelMetadata(
      trx,
      wanted.flatMap((entry) => buildProposedMetadata(entry, present.findMetadata) ?? []),
    );
    const gone = approved.filter(({ kind }) => kind === 'gone').map(({ model }) => model);
    if (gone.length > 0)
      await trx
        .deleteFrom('price')
        .where('model', 'in', (eb) =>
          eb
            .selectFrom(eb.fn<{ value: string }>('json_each', [eb.val(JSON.stringify(gone))]).as('gone'))
            .select('gone.value'),
        )
        .execute();
    const count = (kind: string): number => approved.filter((line) => line.kind === kind).length;
    return { source: list.source, added: count('added'), changed: count('changed'), removed: gone.length };
  });
  await ctx.changes.publish({ topic: 'prices' });
  await ctx.changes.publish({ topic: 'models' });
  await ctx.changes.publish({ topic: 'catalogue' });
  return applied;
}

/** @throws AppError `not-found` if the list was decided already */
export async function dismissList(ctx: Context, id: number): Promise<void> {
  await markDecided(ctx.db.writer, id);
  await ctx.changes.publish({ topic: 'catalogue' });
}

/** Locks or unlocks the price of a model, or its metadata if it has no price. */
export async function setModelLock(ctx: Context, model: string, locked: boolean): Promise<void> {
  const { findMetadata } = await loadMetadataLists(ctx);
  await ctx.db.writer.transaction().execute(async (trx) => {
    const lock = { locked: Number(locked) };
    const price = await trx.selectFrom('price').selectAll().where('model', '=', model).executeTakeFirst();
    // A new version, so that an editor that has read the old one doesn't overwrite the lock.
    if (price !== undefined && price.locked !== lock.locked)
      await trx
        .updateTable('price')
        .set(await insertPriceVersion(trx, { ...price, ...lock }, nowSeconds(ctx.clock)))
        .where('model', '=', model)
        .execute();
    const known = await trx.updateTable('model_facts').set(lock).where('model', '=', model).executeTakeFirstOrThrow();
    if (price !== undefined || known.numUpdatedRows > 0n || !locked) return;
    const { model: _name, ...facts } = findMetadata(model) ?? { model };
    await trx
      .insertInto('model_facts')
      .values({ model, facts: JSON.stringify(facts), ...lock })
      .execute();
  });
  await ctx.changes.publish({ topic: 'prices' });
  await ctx.changes.publish({ topic: 'models' });
}

/** Returns the JSON of a foreign list, without validation. @throws AppError at the field of the list */
export async function readForeignList(ctx: Context, source: ExternalSource): Promise<unknown> {
  return source.from === 'url' ? parseList(await fetchList(ctx, source.url), 'url') : parseList(source.text, 'text');
}

/** Returns where a list came from, without parts that may be secret. */
export function describeSource(source: ListSource): string {
  return source.from === 'url' ? redactUrl(source.url) : source.from;
}

async function readSource(ctx: Context, source: ListSource): Promise<ParsedList> {
  if (source.from === 'text') return readList(source.text, 'text');
  return source.from === 'url' ? readList(await fetchList(ctx, source.url), 'url') : shippedList();
}

function shippedList(): ParsedList {
  const entries = new Map<string, CatalogueEntry>();
  for (const { model, channelType, type, rates, imageRates, tiers } of readShippedPrices())
    entries.set(model, {
      model,
      price: { type, channel_type: channelType, rates, image_rates: { ...imageRates }, tiers },
    });
  for (const { model, ...facts } of readShippedModels()) entries.set(model, { ...entries.get(model), model, facts });
  return { format: 'switchyard', entries: [...entries.values()], problems: [] };
}

function priceRows(entries: readonly CatalogueEntry[], present: CurrentState) {
  return entries.flatMap((entry) => {
    const price = buildProposedPrice(entry, present);
    return price === undefined ? [] : [toPriceRow({ ...price, model: entry.model, locked: false })];
  });
}
