/**
 * Packs the calls of hours that are over, the oldest first, so that everything up to the last one is there. A relayed
 * call pays nothing for it. What was packed stays when the records are deleted. Calls that another installation has
 * charged are not among them.
 */
import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { removePrematureRollups } from '../../db/premature-rollups.ts';
import { type CoarseField, coarseFields, type RollupSource, type RowsQuery } from '../../db/rollups/rollup-tasks.ts';
import { isLocalCharge } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

const HOUR = 3_600;
/** Records are written when a call ends, so none is late by more than what waits for a disk. */
const GRACE_SECONDS = 600;
/** Maximum number of calls of hours without a rollup that are read for a response, and seconds that are always read. */
const READ_CALLS_MAX = 50_000;
const READ_SECONDS = 6 * HOUR;

type RollupContext = Pick<Context, 'db' | 'clock'>;

/** One hour at a time is read by the reading thread and written as small rows, so nothing waits for long. */
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
    // The job and somebody who deletes old records may have come to the same hour.
    await db.writer
      .insertInto('usage_slice')
      .values({ hour, packed })
      .onConflict((conflict) => conflict.column('hour').doNothing())
      .execute();
  }
}

/** The newest first: an installation that was upgraded has years of them. */
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
 * The hours of a time, and from when on calls are missing in them.
 * @param field the only one that is asked about; undefined: there are several
 */
export async function findHourRollups(
  { db, clock }: RollupContext,
  { from, to }: { from: number; to: number },
  field: CoarseField | undefined,
): Promise<{ source: RollupSource; missingFrom: number | null }> {
  const open = await findFirstOpenHour(db.reports);
  // What is packed from now on is among the open hours below.
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

/** The first hour that has calls and is not packed. */
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
