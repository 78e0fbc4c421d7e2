/** Lists as they were read, stored until they are decided. */
import { createHash } from 'node:crypto';
import type { ListFormat, ListProblem } from '@switchyard/contract/catalog/catalog-updates';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { notFound } from '../../platform/http/app-error.ts';
import { pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import { type CatalogueEntry, catalogueEntry, type ParsedList } from './read-price-list.ts';
import type { CatalogueListTable } from './table.ts';

export interface StoredList extends ParsedList {
  id: number;
  source: string;
  created_time: number;
  decided: boolean;
}

type Row = Selectable<CatalogueListTable>;

/** Maximum stored lists that were read manually; each can have megabytes. */
const LISTS_KEPT = 20;
/** Retention of lists that were never decided, in seconds. */
const KEPT_SECONDS = 7 * 86_400;

const entries = z.array(catalogueEntry);
const problems: z.ZodType<ListProblem[]> = z.array(
  z.object({ place: z.string(), model: z.string(), rule: z.string(), message: z.string() }),
);

/** Stores a list. It deletes old manual lists, or the previous scheduled one. */
export async function storeList(
  ctx: Context,
  source: string,
  list: ParsedList,
  scheduled: boolean,
): Promise<StoredList> {
  const now = nowSeconds(ctx.clock);
  const { id } = await ctx.db.writer.transaction().execute(async (trx) => {
    await trx
      .deleteFrom('catalogue_list')
      .where((eb) =>
        scheduled
          ? eb('scheduled', '=', 1)
          : eb.and([eb('scheduled', '=', 0), eb('created_time', '<', now - KEPT_SECONDS)]),
      )
      .execute();
    const newest = trx
      .selectFrom('catalogue_list')
      .select('id')
      .where('scheduled', '=', 0)
      .orderBy('id', 'desc')
      .limit(LISTS_KEPT);
    await trx.deleteFrom('catalogue_list').where('scheduled', '=', 0).where('id', 'not in', newest).execute();
    return trx
      .insertInto('catalogue_list')
      .values({
        created_time: now,
        source,
        format: list.format,
        scheduled: Number(scheduled),
        digest: computeDigest(list),
        entries: JSON.stringify(list.entries),
        problems: JSON.stringify(list.problems),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
  });
  return { ...list, id, source, created_time: now, decided: false };
}

/** Stores the list that the schedule read. A list that equals the last one counts as no change. */
export async function storeScheduledList(ctx: Context, source: string, list: ParsedList): Promise<void> {
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('catalogue_list')
    .set({ created_time: nowSeconds(ctx.clock) })
    .where('scheduled', '=', 1)
    .where('source', '=', source)
    .where('digest', '=', computeDigest(list))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) await storeList(ctx, source, list, true);
}

/** @throws AppError `not-found` */
export async function findList(db: Kysely<Schema>, id: number): Promise<StoredList> {
  const row = await db.selectFrom('catalogue_list').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('list', id);
  return parseRow(row);
}

/** Returns the list that the schedule read last. */
export async function findScheduledList(ctx: Context): Promise<StoredList | undefined> {
  const row = await ctx.db.writer
    .selectFrom('catalogue_list')
    .selectAll()
    .where('scheduled', '=', 1)
    .orderBy('id', 'desc')
    .executeTakeFirst();
  return row && parseRow(row);
}

/** @throws AppError `not-found` */
export async function markDecided(db: Kysely<Schema>, id: number): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('catalogue_list')
    .set({ decided: 1 })
    .where('id', '=', id)
    .where('decided', '=', 0)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n) throw notFound('list', id);
}

function computeDigest(list: { format: ListFormat; entries: readonly CatalogueEntry[] }): string {
  return createHash('sha256')
    .update(JSON.stringify([list.format, list.entries]))
    .digest('hex');
}

function parseRow(row: Row): StoredList {
  return {
    ...pickFields(row, ['id', 'source', 'format', 'created_time']),
    decided: row.decided === 1,
    entries: entries.parse(JSON.parse(row.entries)),
    problems: problems.parse(JSON.parse(row.problems)),
  };
}
