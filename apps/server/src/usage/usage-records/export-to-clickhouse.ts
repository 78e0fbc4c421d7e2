/**
 * Sends records to ClickHouse in the order of their ids. Each record arrives at least once, because the position is
 * stored only after ClickHouse has confirmed the rows.
 */
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { CHUNK_ROWS, selectByteSize, takeChunk } from '../../db/process-in-chunks.ts';
import { sleep } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { type ClickhouseClient, createClickhouseClient } from './clickhouse.ts';

/** Size from which an insert gets no further rows. ClickHouse writes a few large inserts faster than many small ones. */
const ROWS_PER_INSERT = 5_000;
const BYTES_PER_INSERT = 4_194_304;
/** Milliseconds after which every assigned id belongs to a known transaction. */
const ID_ASSIGNMENT_MS = 1_000;
const POLL_MS = 500;
/**
 * Maximum milliseconds to wait for running transactions. Later records are sent in the next run if one takes longer.
 */
const COMMITTED_MS = 30_000;
const RETRY_MIN_MS = 10_000;
const RETRY_MAX_MS = 5 * 60_000;

interface ReadContext extends Pick<Context, 'config'> {
  db: Pick<Database, 'reader'>;
}

interface ExportFailure {
  error: unknown;
  times: number;
  /** Time of `clock.elapsed()` until which nothing is sent. */
  until: number;
}

/** Last failure of each server of this process. */
const lastFailures = new WeakMap<Context, ExportFailure>();

/** @throws if ClickHouse rejects the rows; during the pause after a failure, the same error without a request */
export async function exportToClickhouse(ctx: Context, stopping: AbortSignal): Promise<void> {
  const { clickhouse: config } = ctx.config;
  if (config === undefined) return;
  const before = lastFailures.get(ctx);
  if (before !== undefined && ctx.clock.elapsed() < before.until) throw before.error;
  const clickhouse = createClickhouseClient(config, stopping);
  try {
    await exportRows(clickhouse, config.sink, ctx, stopping);
    lastFailures.delete(ctx);
  } catch (error) {
    if (stopping.aborted) return;
    const times = (before?.times ?? 0) + 1;
    const until = ctx.clock.elapsed() + Math.min(RETRY_MIN_MS * 2 ** times, RETRY_MAX_MS);
    lastFailures.set(ctx, { error, times, until });
    throw error;
  } finally {
    await clickhouse.close();
  }
}

async function exportRows(
  clickhouse: ClickhouseClient,
  sink: string,
  ctx: Context,
  stopping: AbortSignal,
): Promise<void> {
  const { writer, reader, engine } = ctx.db;
  let last = await readLastExportedId(ctx.db, sink);
  const end = await readNewestId(ctx);
  // SQLite continues from the newest id in the file, and a copy of another database may lack the records before
  // it.
  if (engine.kind === 'sqlite' && end < last)
    await writer.updateTable('shipped_record').set({ last_id: end }).where('sink', '=', sink).execute();
  if (end <= last) return;
  if (!(await isCommitted(ctx, stopping)))
    throw new Error('A long-running transaction, possibly a prepared one, prevents records from being sent');
  await clickhouse.createTable();
  while (last < end && !stopping.aborted) {
    const { lines, newest } = await readLines(reader, last, end);
    if (lines.length > 0) await clickhouse.insert(lines, `${last + 1}-${newest}`);
    // A node that lost the lease may still be sending, with an older position.
    await writer
      .insertInto('shipped_record')
      .values({ sink, last_id: newest })
      .onConflict((conflict) =>
        conflict.column('sink').doUpdateSet({ last_id: newest }).where('shipped_record.last_id', '<', newest),
      )
      .execute();
    last = newest;
  }
}

/**
 * Reads the records of an insert page by page, so that other events are handled between them.
 * @returns pages of lines with a record as JSON, and the id up to which they are complete
 */
async function readLines(
  reader: Database['reader'],
  after: number,
  end: number,
): Promise<{ lines: Buffer[]; newest: number }> {
  const lines: Buffer[] = [];
  let [newest, rows, bytes] = [after, 0, 0];
  while (newest < end && rows < ROWS_PER_INSERT && bytes < BYTES_PER_INSERT) {
    const records = reader
      .selectFrom('usage_record')
      .where('id', '>', newest)
      .where('id', '<=', end)
      .orderBy('id')
      .limit(CHUNK_ROWS);
    const sizes = takeChunk(await records.select(['id', selectByteSize('content', 'detail')]).execute());
    newest = sizes.at(-1)?.id ?? end;
    const page = await records.selectAll().where('id', '<=', newest).execute();
    if (page.length === 0) continue;
    const text = Buffer.from(page.map((row) => `${JSON.stringify(row)}\n`).join(''));
    lines.push(text);
    rows += page.length;
    bytes += text.length;
  }
  return { lines, newest };
}

/**
 * Uses the reading connection only, because the search passes over all records of the period.
 * @throws AppError `conflict` while records before a time are not in ClickHouse, so that they are not deleted
 */
export async function requireExported({ config, db }: ReadContext, before: number): Promise<void> {
  const { clickhouse } = config;
  if (clickhouse === undefined) return;
  const missing = await db.reader
    .selectFrom('usage_record')
    .select('id')
    .where('id', '>', await readLastExportedId(db, clickhouse.sink))
    .where('created_at', '<', before)
    .limit(1)
    .executeTakeFirst();
  if (missing !== undefined)
    throw new AppError('conflict', 'Records of this period have not been sent to ClickHouse yet and cannot be deleted');
}

async function readLastExportedId({ reader }: ReadContext['db'], sink: string): Promise<number> {
  const row = await reader.selectFrom('shipped_record').select('last_id').where('sink', '=', sink).executeTakeFirst();
  return row?.last_id ?? 0;
}

async function readNewestId({ db }: Context): Promise<number> {
  const row = await db.reader.selectFrom('usage_record').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Returns whether every record with an id up to now is committed or never will be. PostgreSQL assigns ids before
 * commits and not in their order, so that a transaction with a smaller id may still run. Transactions of the server's
 * other databases do not matter.
 */
async function isCommitted({ db, clock }: Context, stopping: AbortSignal): Promise<boolean> {
  const { engine } = db;
  if (engine.kind === 'sqlite') return true;
  await sleep(clock, ID_ASSIGNMENT_MS, stopping);
  const newest = await engine.pool.query<{ xid: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::text as xid',
  );
  const begun = newest.rows.map(({ xid }) => xid);
  for (let waited = 0; waited < COMMITTED_MS; waited += POLL_MS) {
    const { rows } = await engine.pool.query(
      `select from pg_snapshot_xip(pg_current_snapshot()) as running
        where running < $1::xid8
          and not exists (select from pg_stat_activity
            where backend_xid = running::xid and datname <> current_database())
          and not exists (select from pg_prepared_xacts
            where transaction = running::xid and database <> current_database())
        limit 1`,
      begun,
    );
    if (rows.length === 0) return true;
    await sleep(clock, POLL_MS, stopping);
  }
  return false;
}
