/** Compares a list with the present state. */
import type { CatalogueNotices, Comparison } from '@switchyard/contract/catalog/catalog-updates';
import type { Price } from '@switchyard/contract/catalog/prices';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { cacheUntilChanged } from '../../platform/caches.ts';
import { createNameLookup } from '../../platform/model-prefix-lookup.ts';
import type { Schema } from '../../schema.ts';
import { createModelLookup, type FindModelMetadata, loadMetadataLists } from '../models/models.ts';
import { readShippedPrices, type ShippedPrice, toPrice } from '../prices/prices.ts';
import { type ComparedList, type CurrentState, compareList } from './compare-price-list.ts';
import type { ParsedList } from './read-price-list.ts';
import { findScheduledList, type StoredList } from './stored-price-list.ts';

const PROBLEMS_SHOWN = 100;

let lookup: ((model: string) => ShippedPrice | undefined) | undefined;

/** Returns the shipped price of a model, found by its name, also without its vendor and date. */
export function findShippedPrice(model: string): ShippedPrice | undefined {
  lookup ??= createModelLookup(readShippedPrices());
  return lookup(model);
}

/** @param factsOf read before the transaction, so that it stays the same during it */
export async function readCurrentState(db: Kysely<Schema>, factsOf: FindModelMetadata): Promise<CurrentState> {
  const rows = await db.selectFrom('price').selectAll().execute();
  const prices = new Map<string, Price>(rows.map((row) => [row.model, toPrice(row)]));
  const locks = await db.selectFrom('model_facts').select('model').where('locked', '=', 1).execute();
  return {
    prices,
    findPrice: createNameLookup([...prices.values()]),
    findShippedPrice(model) {
      const price = findShippedPrice(model);
      return price && { ...price, image_rates: { ...price.imageRates } };
    },
    findMetadata: factsOf,
    lockedFacts: new Set(locks.map(({ model }) => model)),
  };
}

export function toComparedList({ format, entries, problems }: ParsedList): ComparedList {
  return { entries, partial: format !== 'switchyard', unreadableModels: new Set(problems.map(({ model }) => model)) };
}

export function buildComparison(list: StoredList, present: CurrentState): Comparison {
  const { id, source, format, created_time, entries, problems } = list;
  return {
    id,
    source,
    format,
    created_time,
    entries: entries.length,
    lines: compareList(toComparedList(list), present),
    problems: problems.slice(0, PROBLEMS_SHOWN),
    problem_count: problems.length,
  };
}

/** Returns the changes that the scheduled refresh found. Models that the list doesn't name are no change. */
export const readPendingChanges = cacheUntilChanged(
  ['catalogue', 'prices', 'models'],
  async (ctx: Context): Promise<CatalogueNotices['pending']> => {
    const list = await findScheduledList(ctx);
    if (list === undefined || list.decided) return null;
    const lines = compareList(
      toComparedList(list),
      await readCurrentState(ctx.db.writer, (await loadMetadataLists(ctx)).findMetadata),
    );
    const changes = lines.filter(({ kind, locked }) => kind !== 'gone' && !locked).length;
    return changes === 0 ? null : { id: list.id, changes, created_time: list.created_time };
  },
);
