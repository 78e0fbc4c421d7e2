/**
 * Partitions of usage records by month on PostgreSQL, so that a month can be dropped at once, without dead rows.
 * Records without a month's partition go to a default one, so that inserts of past times, or from a node with a wrong
 * clock, never fail.
 */
import { sql, type Transaction } from 'kysely';
import { sleep } from '../platform/clock.ts';
import type { Schema } from '../schema.ts';
import type { Database } from './database-handle.ts';

export interface RecordMonth {
  table: string;
  /** UTC seconds; 0 if the partition has no lower bound. `to` is exclusive. */
  from: number;
  to: number;
}

/** Number of months that are created in advance. */
const MONTHS_AHEAD = 3;
/** Maximum months in a copy. A larger number would come from wrong clocks. */
const MONTHS_MAX = 240;
/** Maximum attempts to get a lock, so that calls of clients are delayed only briefly. */
const LOCK_TRIES = 10;
/** Pause after the first attempt; it grows with each attempt, because a full read takes minutes. */
const LOCK_PAUSE_MS = 1_000;
/** Maximum rows that are moved while writers wait. A month with more rows stays. */
const MOVED_ROWS_MAX = 10_000;

/** Returns the existing months, oldest first; none on SQLite, which has a single table. */
export async function listRecordMonths({ engine, writer }: Database): Promise<RecordMonth[]> {
  if (engine.kind !== 'postgres') return [];
  const { rows } = await sql<{ table: string; bound: string }>`
    select c.relname as "table", pg_get_expr(c.relpartbound, c.oid) as bound
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass('usage_record')`.execute(writer);
  return rows
    .flatMap(({ table, bound }): RecordMonth[] => {
      const [, from, to] = /FROM \((?:MINVALUE|'(-?\d+)')\) TO \('(-?\d+)'\)/.exec(bound) ?? [];
      if (to === undefined) return [];
      return [{ table, from: Number(from ?? 0), to: Number(to) }];
    })
    .toSorted((a, b) => a.from - b.from);
}

/** Creates this month and the next ones by the database's clock, where they are missing. */
export async function createRecordMonths(db: Database): Promise<void> {
  if (db.engine.kind !== 'postgres') return;
  const { rows } = await sql<{ now: number }>`select unixepoch() as now`.execute(db.writer);
  let month = await ensureRecordMonth(db, rows[0]?.now ?? 0);
  for (let ahead = 0; ahead < MONTHS_AHEAD; ahead += 1) month = await ensureRecordMonth(db, month.to);
  await analyzeRecordIds(db);
}

/**
 * Analyzes the ids of the whole table. PostgreSQL analyzes only its partitions by itself, and without this would
 * assume that ids repeat and scan everything. Once is enough, because ids stay unique.
 */
async function analyzeRecordIds({ writer }: Database): Promise<void> {
  const { rows } = await sql<{ is_unknown: number }>`
    select exists (select 1 from usage_record) and not exists (
      select 1 from pg_stats where schemaname = current_schema() and tablename = 'usage_record' and inherited
    ) as is_unknown`.execute(writer);
  if (rows[0]?.is_unknown !== 1) return;
  await writer.transaction().execute(async (trx) => {
    // A small sample is enough.
    await sql`set local default_statistics_target = 10`.execute(trx);
    await sql`analyze usage_record (id)`.execute(trx);
  });
}

/** Creates the months of the source's records before they are copied. */
export async function createMonthsLike(source: Database, target: Database): Promise<void> {
  if (target.engine.kind !== 'postgres') return;
  let after = 0;
  for (let nth = 0; nth < MONTHS_MAX; nth += 1) {
    const { first } = await source.writer
      .selectFrom('usage_record')
      .select((eb) => eb.fn.min<number | null>('created_at').as('first'))
      .where('created_at', '>=', after)
      .executeTakeFirstOrThrow();
    if (first === null) return;
    after = (await ensureRecordMonth(target, first)).to;
  }
}

/**
 * Drops a month. Its records that are no calls are moved to the default partition. Another node may have dropped the
 * month already.
 * @returns false if too many records would have to be moved
 */
export async function dropMonth(db: Database, month: RecordMonth): Promise<boolean> {
  const isOther = sql`type not in ('consume', 'error')`;
  const { rows } = await sql`select 1 from usage_record
    where ${isOther} and created_at >= ${month.from} and created_at < ${month.to} limit ${MOVED_ROWS_MAX + 1}`.execute(
    db.writer,
  );
  if (rows.length > MOVED_ROWS_MAX) return false;
  await withLockRetry(db, async (trx) => {
    await sql`lock table usage_record in access exclusive mode`.execute(trx);
    const months = await listRecordMonths({ ...db, writer: trx });
    if (!months.some(({ table }) => table === month.table)) return;
    const table = sql.table(month.table);
    await sql`alter table usage_record detach partition ${table}`.execute(trx);
    await sql`insert into usage_record select * from ${table} where ${isOther}`.execute(trx);
    await sql`drop table ${table}`.execute(trx);
  });
  return true;
}

function monthOf(time: number): RecordMonth {
  const date = new Date(time * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const from = Date.UTC(year, month) / 1000;
  return {
    table: `usage_record_${new Date(from * 1000).toISOString().slice(0, 7).replace('-', '_')}`,
    from,
    to: Date.UTC(year, month + 1) / 1000,
  };
}

/** Creates the month of a time if it is missing. @param time UTC seconds */
export async function ensureRecordMonth(db: Database, time: number): Promise<RecordMonth> {
  const month = monthOf(time);
  const isThere = (months: readonly RecordMonth[]) => months.some(({ from, to }) => from < month.to && to > month.from);
  if (isThere(await listRecordMonths(db))) return month;
  const table = sql.table(month.table);
  await withLockRetry(db, async (trx) => {
    // An insert that had chosen its partition before would use the wrong one.
    await sql`lock table usage_record in share row exclusive mode`.execute(trx);
    if (isThere(await listRecordMonths({ ...db, writer: trx }))) return;
    await sql`create table ${table} (like usage_record including all excluding identity)`.execute(trx);
    await sql`with early as (
        delete from usage_record_default where created_at >= ${month.from} and created_at < ${month.to} returning *
      ) insert into ${table} select * from early`.execute(trx);
    await sql`alter table usage_record attach partition ${table}
      for values from (${sql.lit(month.from)}) to (${sql.lit(month.to)})`.execute(trx);
  });
  return month;
}

/**
 * Runs work that needs a lock in a transaction. A statement that waits for a lock blocks all later ones, so it waits
 * briefly and tries again.
 */
async function withLockRetry<T>(
  { writer, machine }: Database,
  work: (trx: Transaction<Schema>) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      return await writer.transaction().execute(async (trx) => {
        await sql`set local lock_timeout = '300ms'`.execute(trx);
        return work(trx);
      });
    } catch (error) {
      if (tries === LOCK_TRIES || !isLockTimeout(error)) throw error;
      await sleep(machine, tries * LOCK_PAUSE_MS);
    }
}

const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03';
