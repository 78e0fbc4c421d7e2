/** Opens PostgreSQL as the database of several nodes, from version 14 on. */
import { type CompiledQuery, Kysely, type LogEvent, sql } from 'kysely';
import type pg from 'pg';
import { mayBeCommitted } from '../../ledger/commit/storage-failure.ts';
import type { Clock } from '../../platform/clock.ts';
import { getErrorMessage } from '../../platform/log.ts';
import type { Schema } from '../../schema.ts';
import { migrate, type Upgrade, VERSIONS_TABLE } from '../backup-and-migrate.ts';
import { type Database, LONG_READ_MS, type ReplicaOptions, type SumRollups } from '../database-handle.ts';
import { isForJob } from '../rollups/run-rollup-queries.ts';
import { CONNECT_MS, openPool, openReaderPool } from './pools.ts';
import { createPostgresDialect } from './postgres-dialect.ts';
import { openReportDatabase, type ReportDatabase } from './report-database.ts';
import { createRollupThread } from './rollup-thread.ts';
import { toPostgresSql } from './sqlite-compatibility.ts';

/** Connections of one node for single statements, besides its readers. */
const WRITERS_MAX = 5;
/**
 * Connections for transactions, which run one after another: one that waits for the lock of all nodes keeps its
 * connection. With connections in common, a burst of changes by many users would let every use of a session wait.
 */
const TRANSACTIONS_MAX = 5;
/** Maximum milliseconds that a transaction waits for a connection, before it waits for the lock. */
const TRANSACTION_CONNECT_MS = 10_000;
/** Connections of the ledger, so that calls do not wait behind queued transactions. One listens to other nodes. */
const LEDGER_MAX = 7;
/** Timeout of a write, in milliseconds. Writes are short, so a longer wait means that the database is unreachable. */
const WRITE_MS = 20_000;
/**
 * Maximum idle time in a transaction, so that a disconnected node does not keep its locks: the transactions of all nodes
 * wait for the write lock, and every commit that contains an account waits for the lock of that account.
 */
const IDLE_IN_TRANSACTION_MS = 2_000;
/**
 * Maximum idle time in a ledger commit, which locks the accounts of many users and waits for nothing but the
 * database. It is repeated afterwards, so that its time may be shorter.
 */
const IDLE_IN_COMMIT_MS = 1_000;

/** Runs transactions on connections of their own. */
class Writer extends Kysely<Schema> {
  readonly #transactions: Kysely<Schema>;

  /** @param reportUncertain called whenever a write fails that PostgreSQL may have committed */
  constructor(writers: pg.Pool, transactions: pg.Pool, reportUncertain: () => void) {
    const logFailed = (isWrite: (query: CompiledQuery) => boolean) => (event: LogEvent) => {
      if (event.level === 'error' && isWrite(event.query) && mayBeCommitted(event.error)) reportUncertain();
    };
    super({
      dialect: createPostgresDialect(writers, { usesWriteLock: true }),
      log: logFailed(({ query }) => query.kind !== 'SelectQueryNode'),
    });
    this.#transactions = new Kysely({
      dialect: createPostgresDialect(transactions, { usesWriteLock: true }),
      log: logFailed((query) => query.sql === 'commit'),
    });
  }

  override transaction(): ReturnType<Kysely<Schema>['transaction']> {
    return this.#transactions.transaction();
  }

  override startTransaction(): ReturnType<Kysely<Schema>['startTransaction']> {
    return this.#transactions.startTransaction();
  }
}

/**
 * @param url `postgres://user:password@host:port/database`
 * @throws if the server is unreachable or its database belongs to another program
 */
export async function openPostgres(
  url: string,
  { isPatient = false }: Upgrade,
  machine: Clock,
  replica?: ReplicaOptions,
): Promise<Database> {
  const limits = isPatient
    ? {}
    : {
        query_timeout: WRITE_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        lock_timeout: CONNECT_MS,
      };
  const writers = openPool(url, { ...limits, max: WRITERS_MAX });
  const transactions = openPool(url, {
    ...limits,
    max: TRANSACTIONS_MAX,
    connectionTimeoutMillis: TRANSACTION_CONNECT_MS,
  });
  const ledger = openPool(url, {
    ...limits,
    ...(!isPatient && { idle_in_transaction_session_timeout: IDLE_IN_COMMIT_MS }),
    max: LEDGER_MAX,
  });
  const readers = openReaderPool(url);
  const slices = createRollupThread(url, machine);
  // Packing an hour of a large site takes longer than a report may, and must not delay reports.
  const rollupReader = createRollupThread(url, machine, LONG_READ_MS);
  const sumSlices: SumRollups = (task) => (isForJob(task) ? rollupReader : slices).sum(task);
  let reports: ReportDatabase | undefined;
  let reportUncertainWrite = (): void => {};
  const close = async (): Promise<void> => {
    await reports?.close();
    await Promise.all([slices.close(), rollupReader.close()]);
    await Promise.all([writers, transactions, ledger, readers].map((pool) => pool.end()));
  };
  try {
    const upgrading = openPool(url, { max: 4 });
    await checkConnection(upgrading)
      .then(() => migratePostgres(upgrading))
      .finally(() => upgrading.end());
  } catch (error) {
    await close();
    throw error;
  }
  const reader = new Kysely<Schema>({ dialect: createPostgresDialect(readers) });
  if (replica !== undefined)
    reports = openReportDatabase(replica, { pool: ledger, readers, slices: sumSlices }, machine);
  return {
    writer: new Writer(writers, transactions, () => reportUncertainWrite()),
    reader,
    readLongRunning: (work) => readPostgresSnapshot(url, work, LONG_READ_MS),
    reports: reports?.db ?? reader,
    sumRollups: reports?.sumRollups ?? sumSlices,
    get replica() {
      return reports?.replica.state;
    },
    engine: {
      kind: 'postgres',
      pool: ledger,
      url,
      onUncertainWrite(report) {
        reportUncertainWrite = report;
      },
    },
    machine,
    close,
  };
}

/** Works like `readSnapshot`. @param deadlineMs of each statement */
export async function readPostgresSnapshot<T>(
  url: string,
  work: (db: Kysely<Schema>) => Promise<T>,
  deadlineMs?: number,
): Promise<T> {
  const pool = openPool(url, {
    max: 1,
    ...(deadlineMs && { statement_timeout: deadlineMs, query_timeout: deadlineMs + CONNECT_MS }),
  });
  try {
    const db = new Kysely<Schema>({ dialect: createPostgresDialect(pool) });
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .setAccessMode('read only')
      .execute(async (trx) => {
        // Before the snapshot: a month dropped after it would be missing from the rows of the snapshot.
        await sql`lock table only usage_record in access share mode`.execute(trx);
        return work(trx);
      });
  } finally {
    await pool.end();
  }
}

/** @throws Error that says why there is no connection; it never contains the address, which has the password */
async function checkConnection(pool: pg.Pool): Promise<void> {
  try {
    const client = await pool.connect();
    client.release();
  } catch (error) {
    const isNetwork =
      error instanceof AggregateError ||
      (error instanceof Error && ('syscall' in error || /timeout/.test(error.message)));
    const what = isNetwork ? 'PostgreSQL cannot be reached' : 'PostgreSQL refused the connection';
    // It is starting up, shutting down, or has no connection left.
    const isBusy = error instanceof Error && 'code' in error && /^5[37]/.test(String(error.code));
    const check = `${isNetwork ? 'Start it, or check' : 'Check'} DATABASE_URL (in the command copy: the target).`;
    const advice = isBusy ? 'Start again in a minute.' : check;
    throw new Error(`${what}: ${getErrorMessage(error)}. ${advice}`, { cause: error });
  }
}

/** Runs the migrations. Nodes that start together wait for each other. */
async function migratePostgres(pool: pg.Pool): Promise<void> {
  await createFunctions(pool);
  await migrate(new Kysely<Schema>({ dialect: createPostgresDialect(pool, { translateQuery: toPostgresSql }) }), {
    copyFirst: false,
  });
}

/** Functions of SQLite that queries use, defined in PostgreSQL under the same names. */

const functions = `
create or replace function instr(text, text) returns bigint immutable strict parallel safe language sql
  as 'select strpos($1, $2)::bigint';
create or replace function unixepoch() returns bigint stable parallel safe language sql
  as 'select floor(extract(epoch from now()))::bigint';
create or replace function iif(boolean, anycompatible, anycompatible) returns anycompatible immutable parallel safe language sql
  as 'select case when $1 then $2 else $3 end';
create or replace function max(bigint, bigint) returns bigint immutable strict parallel safe language sql
  as 'select greatest($1, $2)';
create or replace function min(bigint, bigint) returns bigint immutable strict parallel safe language sql
  as 'select least($1, $2)';
create or replace function json_of(document text) returns jsonb immutable strict parallel safe language sql
  as $$ select regexp_replace(document, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'gi')::jsonb $$;
create or replace function json_extract(document text, path text) returns text immutable strict parallel safe language sql
  as $$ select jsonb_path_query_first(json_of(document), path::jsonpath) #>> '{}' $$;
create or replace function json_each(document text) returns table (key bigint, value text) immutable strict parallel safe language sql rows 10
  as $$ select nth - 1, item #>> '{}' from jsonb_array_elements(json_of(document)) with ordinality as one (item, nth) $$;
create or replace function array_with(array_so_far jsonb, item anyelement) returns jsonb immutable parallel safe language sql
  as 'select $1 || jsonb_build_array($2)';
create or replace function text_of(document jsonb) returns text immutable strict parallel safe language sql
  as 'select $1::text';
create or replace aggregate json_group_array(anyelement) (sfunc = array_with, stype = jsonb, initcond = '[]', finalfunc = text_of);
create or replace function one_more(so_far bigint, more boolean) returns bigint immutable strict parallel safe language sql
  as 'select $1 + $2::int';
create or replace aggregate sum(boolean) (sfunc = one_more, stype = bigint, initcond = '0');
create or replace function date(seconds bigint, unit text) returns text immutable strict parallel safe language sql
  as $$ select to_char(to_timestamp(seconds) at time zone 'utc', 'YYYY-MM-DD') $$;
`;

/** Arbitrary number of the lock with which starting nodes create them one after the other. */
const LOCK = 7_301_915;

/**
 * Creates the functions, and the table that `migrate` reads before it takes its lock. PostgreSQL fails the second of
 * two nodes that create a table at the same time.
 */
export async function createFunctions(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; select pg_advisory_xact_lock(${LOCK}); ${functions}; ${VERSIONS_TABLE}; commit`);
  } catch (error) {
    await client.query('rollback');
    throw new Error(
      `PostgreSQL did not create the functions that Switchyard uses: ${getErrorMessage(error)}. Make the user of DATABASE_URL the owner of its database.`,
      { cause: error },
    );
  } finally {
    client.release();
  }
}
