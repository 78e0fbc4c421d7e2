/** What models cost. Rates are whole nano-points; the ratios of the public API are computed from them. */
import {
  NANO_POINTS_PER_POINT,
  type Price,
  type prices,
  rates as ratesSchema,
  type savePrice as savePriceSchema,
} from '@switchyard/contract/prices';
import type { Page, RouteInput } from '@switchyard/contract/route';
import type { Selectable } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { contains, readPage } from '../../db/paging.ts';
import { type AppError, alreadyExists, notFound } from '../../platform/app-error.ts';
import { keptUntilChanged } from '../../platform/kept-until-changed.ts';
import { offeredModels } from '../channels/channels.ts';
import { createPriceLookup } from './price-lookup.ts';
import { readShippedPrices } from './shipped-prices.ts';
import type { PriceTable } from './table.ts';

type ListFilter = RouteInput<(typeof prices)['list']>['query'];
type SavePrice = z.output<typeof savePriceSchema>;
type PriceRow = Selectable<PriceTable>;

/** A `times` price of input ratio 1 costs this many points for a call. */
const POINTS_PER_CALL_RATIO = 1_000;

const columns = {
  model: 'model',
  type: 'type',
  channel_type: 'channel_type',
  input: 'input',
  output: 'output',
};

export async function listPrices(ctx: Context, filter: ListFilter): Promise<Page<Price>> {
  let query = ctx.db.reader.selectFrom('price').selectAll();
  if (filter.keyword !== undefined) query = query.where(contains('model', filter.keyword));
  if (filter.type !== undefined) query = query.where('type', '=', filter.type);
  if (filter.channel_type !== undefined) query = query.where('channel_type', '=', filter.channel_type);
  return readPage(query, filter, { columns, fallback: 'model', tieBreak: 'model', present });
}

/** The whole list, by owner and model. */
export const loadPrices = keptUntilChanged('prices', async (ctx: Context): Promise<Price[]> => {
  const rows = await ctx.db.writer
    .selectFrom('price')
    .selectAll()
    .orderBy('channel_type')
    .orderBy('model')
    .execute();
  return rows.map(present);
});

/** The price that applies to a model, with wildcards; undefined when none does. */
export async function loadPriceLookup(ctx: Context): Promise<(model: string) => Price | undefined> {
  return createPriceLookup(await loadPrices(ctx));
}

/** Models that enabled channels offer and no price covers. */
export async function listUnpriced(ctx: Context): Promise<string[]> {
  const priceOf = await loadPriceLookup(ctx);
  const models = new Set((await offeredModels(ctx)).map(({ model }) => model));
  return [...models].filter((model) => priceOf(model) === undefined).toSorted();
}

/** @throws AppError `already-exists` */
export async function createPrice(ctx: Context, input: SavePrice): Promise<Price> {
  const row = await ctx.db.writer
    .insertInto('price')
    .values(rowOf(input))
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) throw taken(input.model);
  await ctx.changes.publish({ topic: 'prices' });
  return present(row);
}

/** @throws AppError `not-found`, or `already-exists` when the new name is taken */
export async function updatePrice(ctx: Context, model: string, input: SavePrice): Promise<Price> {
  const row = await ctx.db.writer.transaction().execute(async (trx) => {
    if (input.model !== model) {
      const other = await trx
        .selectFrom('price')
        .select('model')
        .where('model', '=', input.model)
        .executeTakeFirst();
      if (other !== undefined) throw taken(input.model);
    }
    return trx
      .updateTable('price')
      .set(rowOf(input))
      .where('model', '=', model)
      .returningAll()
      .executeTakeFirst();
  });
  if (row === undefined) throw notFound('price');
  await ctx.changes.publish({ topic: 'prices' });
  return present(row);
}

/** @returns how many there were */
export async function removePrices(ctx: Context, models: readonly string[]): Promise<number> {
  const result = await ctx.db.writer.deleteFrom('price').where('model', 'in', models).executeTakeFirst();
  await ctx.changes.publish({ topic: 'prices' });
  return Number(result.numDeletedRows);
}

export async function removePrice(ctx: Context, model: string): Promise<void> {
  if ((await removePrices(ctx, [model])) === 0) throw notFound('price');
}

/** The list of a fresh installation. */
export async function addShippedPrices(ctx: Context): Promise<void> {
  await syncPrices(ctx, 'add');
}

/** `add` brings in new models only; `update` also changes those that nobody has locked. */
export async function syncPrices(
  ctx: Context,
  mode: 'add' | 'update',
): Promise<{ added: number; changed: number }> {
  const shipped = readShippedPrices().map(({ model, channelType, rates }) =>
    rowOf({ model, type: 'tokens', channel_type: channelType, rates, locked: false }),
  );
  const counts = await ctx.db.writer.transaction().execute(async (trx) => {
    const known = new Map(
      (await trx.selectFrom('price').selectAll().execute()).map((row) => [row.model, row]),
    );
    const added = shipped.filter((row) => !known.has(row.model));
    const changed = mode === 'add' ? [] : shipped.filter((row) => isOutdated(known.get(row.model), row));
    for (const row of [...added, ...changed]) {
      await trx
        .insertInto('price')
        .values(row)
        .onConflict((conflict) => conflict.column('model').doUpdateSet(row))
        .execute();
    }
    return { added: added.length, changed: changed.length };
  });
  await ctx.changes.publish({ topic: 'prices' });
  return counts;
}

function isOutdated(known: PriceRow | undefined, shipped: PriceRow): boolean {
  if (known === undefined || known.locked === 1) return false;
  return (
    known.rates !== shipped.rates ||
    known.type !== shipped.type ||
    known.channel_type !== shipped.channel_type
  );
}

const taken = (model: string): AppError => alreadyExists('model', `${model} has a price already`);

function rowOf({ model, type, channel_type, rates, locked }: SavePrice): PriceRow {
  return {
    model,
    type,
    channel_type,
    input: rates.input,
    output: rates.output,
    rates: JSON.stringify(ratesSchema.parse(rates)),
    locked: Number(locked),
  };
}

function present(row: PriceRow): Price {
  const ratioOf = (rate: number): number =>
    rate / NANO_POINTS_PER_POINT / (row.type === 'times' ? POINTS_PER_CALL_RATIO : 1);
  return {
    model: row.model,
    type: row.type,
    channel_type: row.channel_type,
    input: ratioOf(row.input),
    output: ratioOf(row.output),
    rates: ratesSchema.parse(JSON.parse(row.rates)),
    locked: row.locked === 1,
  };
}
