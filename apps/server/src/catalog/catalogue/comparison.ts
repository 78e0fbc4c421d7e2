/** A list beside what holds now. */
import type { CatalogueNotices, Comparison } from '@switchyard/contract/catalog/catalogue';
import type { Price } from '@switchyard/contract/catalog/prices';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { keptUntilChanged } from '../../platform/kept-until-changed.ts';
import { createNameLookup } from '../../platform/prefix-lookup.ts';
import type { Schema } from '../../schema.ts';
import { type FindFacts, loadLists } from '../models/models.ts';
import { presentPrice } from '../prices/prices.ts';
import { type ComparedList, compareList, type Present } from './compare.ts';
import type { ReadList } from './read-list.ts';
import { type StoredList, scheduledList } from './stored-list.ts';

const PROBLEMS_SHOWN = 100;

/** @param factsOf read before a transaction begins: nothing else is written or read for it meanwhile */
export async function presentNow(db: Kysely<Schema>, factsOf: FindFacts): Promise<Present> {
  const rows = await db.selectFrom('price').selectAll().execute();
  const prices = new Map<string, Price>(rows.map((row) => [row.model, presentPrice(row)]));
  const locks = await db.selectFrom('model_facts').select('model').where('locked', '=', 1).execute();
  return {
    prices,
    priceOf: createNameLookup([...prices.values()]),
    factsOf,
    lockedFacts: new Set(locks.map(({ model }) => model)),
  };
}

export function comparedList({ format, entries, problems }: ReadList): ComparedList {
  return { entries, partial: format !== 'switchyard', unread: new Set(problems.map(({ model }) => model)) };
}

export function comparisonOf(list: StoredList, present: Present): Comparison {
  const { id, source, format, created_time, entries, problems } = list;
  return {
    id,
    source,
    format,
    created_time,
    entries: entries.length,
    lines: compareList(comparedList(list), present),
    problems: problems.slice(0, PROBLEMS_SHOWN),
    problem_count: problems.length,
  };
}

/** Returns the changes that the scheduled refresh found. Models that the list doesn't name are no change. */
export const pendingChanges = keptUntilChanged(
  ['catalogue', 'prices', 'models'],
  async (ctx: Context): Promise<CatalogueNotices['pending']> => {
    const list = await scheduledList(ctx);
    if (list === undefined || list.decided) return null;
    const lines = compareList(
      comparedList(list),
      await presentNow(ctx.db.writer, (await loadLists(ctx)).factsOf),
    );
    const changes = lines.filter(({ kind, locked }) => kind !== 'gone' && !locked).length;
    return changes === 0 ? null : { id: list.id, changes, created_time: list.created_time };
  },
);
