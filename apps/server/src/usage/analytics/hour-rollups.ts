/**
 * Packs the calls of past hours, oldest first, so that no hour before the last packed one is missing. Relayed calls
 * have no extra work. Packed hours stay when records are deleted. Calls that another installation charged are
 * excluded.
 */
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { removePrematureRollups } from '../../db/remove-premature-rollups.ts';
import {
  type CoarseField,
  coarseFields,
  type RollupSource,
  type RowsQuery,
} from '../../db/rollups/run-rollup-queries.ts';
import { isLocalCharge } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

const HOUR = 3_600;
/**
 * Seconds after which an hour's records are complete. Records are written when a call ends, so only a slow disk
 * delays them.
 */
const GRACE_SECONDS = 600;
/**
 * Maximum number of calls of hours without a rollup that are read for a response, and seconds that are always read.
 */
const READ_CALLS_MAX = 50_000;
const READ_SECONDS = 6 * HOUR;

type RollupContext = Pick<Context, 'db' | 'clock'>;

/**
 * Writes hourly rollups, and coarse ones from them. The reading thread reads one hour at a time, so no request is
 * delayed for long.
 */
export async function updateHourRollups(ctx: RollupContext, stopping?: AbortSignal): Promise<void> {
  await writeHourRollups(ctx, stopping);
  await writeCoarseRollups(ctx, stopping);
}

/** Writes the hourly rollups. Must complete before records are deleted. */
export async function writeHourRollups({ db, clock }: RollupContext, stopping?: AbortSignal): Promise<void> {
  const over = nowSeconds(clock) - GRACE_SECONDS - HOUR;
  await removePrematureRollups(db, 'usage_slice', over + 1);
  while (stopping?.aborted !== true) {
    const hour = await findFirstOpenHour(db.reader);
    if (hour === undefined || hour > over) return;
    const packed = await db.sumRollups({ kind: 'pack', calls: selectCalls(db.reader, hour, hour + HOUR) });
    // The job and a deletion of old records may pack the same hour.
    await db.writer
      .insertInto('usage_slice')
      .values({ hour, packed })
      .onConflict((conflict) => conflict.column('hour').doNothing())
      .execute();
  }
}

/** Writes the newest hours first, because an upgraded installation has years of them. */
async function writeCoarseRollups({ db }: RollupContext, stopping?: AbortSignal): Promise<void> {
  const { rows } = await sql<{ hour: number }>`select hour from usage_slice slice
    where not exists (select 1 from usage_coarse_slice where hour = slice.hour and field = ${coarseFields[0]})
    order by hour desc`.execute(db.reader);
  for (const { hour } of rows) {
    if (stopping?.aborted === true) return;
    const packed = db.reader.selectFrom('usage_slice').select(['hour', 'packed']).where('hour', '=', hour).compile();
    const coarse = await db.sumRollups({ kind: 'coarsen', hour: toRowsQuery(packed) });
    if (coarse === undefined) continue;
    await db.writer
      .insertInto('usage_coarse_slice')
      .values(coarseFields.map((field) => ({ field, hour, packed: coarse[field] })))
      .onConflict((conflict) => conflict.columns(['hour', 'field']).doNothing())
      .execute();
  }
}

/**
 * Returns the hours of a period, and the time from which calls are missing in them.
 * @param field the only one that the query is about; undefined if there are several
 */
export async function findHourRollups(
  { db, clock }: RollupContext,
  { from, to }: { from: number; to: number },
  field: CoarseField | undefined,
): Promise<{ source: RollupSource; missingFrom: number | null }> {
  const open = await findFirstOpenHour(db.reports);
  // Hours that are packed from now on are among the open ones below.
  const end = Math.min(open ?? to, to);
  const hours = db.reports
    .selectFrom('usage_slice as slice')
    .leftJoin('usage_coarse_slice as coarse', (join) =>
      join.onRef('coarse.hour', '=', 'slice.hour').on(sql<boolean>`coarse.field = ${field ?? null}`),
    )
    .select(['slice.hour', (eb) => eb.fn.coalesce('coarse.packed', 'slice.packed').as('packed')])
    .where('slice.hour', '>=', from)
    .where('slice.hour', '<', end)
    .compile();
  const packed: RollupSource = { hours: toRowsQuery(hours), calls: undefined };
  if (open === undefined || open >= to) return { source: packed, missingFrom: null };
  if (open < nowSeconds(clock) - READ_SECONDS && (await hasManyCalls(db.reports, open)))
    return { source: packed, missingFrom: open };
  const calls = selectCalls(db.reports, Math.max(open, from), Math.ceil(to / HOUR) * HOUR);
  return { source: { ...packed, calls }, missingFrom: null };
}

/** Returns the first hour that has calls and is not packed. */
async function findFirstOpenHour(db: Kysely<Schema>): Promise<number | undefined> {
  const { rows } = await sql<{ created_at: number }>`select created_at from usage_record
    where created_at >= coalesce((select max(hour) + ${HOUR} from usage_slice), (select min(hour) from usage_hour))
      and type in ('consume', 'error') and ${isLocalCharge}
    order by created_at limit 1`.execute(db);
  const [first] = rows;
  return first === undefined ? undefined : first.created_at - (first.created_at % HOUR);
}

async function hasManyCalls(db: Kysely<Schema>, from: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from
    (select 1 from usage_record where created_at >= ${from} limit ${READ_CALLS_MAX + 1}) as calls`.execute(db);
  return (rows[0]?.count ?? 0) > READ_CALLS_MAX;
}

const selectCalls = (db: Kysely<Schema>, from: number, to: number): RowsQuery =>
  toRowsQuery(
    db
      .selectFrom('usage_record')
      .select(['created_at', 'type', 'user_id', 'api_key_id', 'channel_id', 'model', 'group_symbol'])
      .select(['is_stream', 'quota', 'cost', 'prompt_tokens', 'completion_tokens', 'cached_tokens'])
      .select(['duration_ms', 'first_byte_ms'])
      .where('created_at', '>=', from)
      .where('created_at', '<', to)
      .where('type', 'in', ['consume', 'error'])
      .where(isLocalCharge)
      .orderBy('created_at')
      .compile(),
  );

/** Returns the parts of a query that can be sent to another thread. */
const toRowsQuery = ({ sql, parameters }: RowsQuery): RowsQuery => ({ sql, parameters });
