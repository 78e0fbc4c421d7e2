/** The database of several nodes: PostgreSQL, from version 14 on. */
import { Kysely } from 'kysely';
import pg from 'pg';
import { type Database, READ_AT_LENGTH_MS, type SumSlices } from '../database.ts';
import { migrate } from '../migrate.ts';
import { type ReadingThread, startReadingThread } from '../reading-thread.ts';
import type { Schema } from '../schema.ts';
import type { SliceTask } from '../slices/slices.ts';
import { createFunctions } from './functions.ts';
import { createPostgresDialect } from './postgres-dialect.ts';
import { parserOf } from './values.ts';
import { inPostgresWords } from './words.ts';

/** Connections of one node. What asks for one more waits for `CONNECT_MS` at most. */
const WRITERS_MAX = 10;
/** The ledger has its own: calls do not wait behind transactions that wait for their turn. One listens to other nodes. */
const LEDGER_MAX = 7;
const READERS_MAX = 6;
const CONNECT_MS = 5_000;
/** A list or a report that takes longer is given up. */
const READ_MS = 15_000;
/** What writes is short; who hears nothing for so long takes the database to be away. */
const WRITE_MS = 20_000;
/** A list takes a few milliseconds, which PostgreSQL may think worth a third of a second of compiling. */
const WITHOUT_COMPILING = '-c jit=off';
/** A node that is cut off must not keep the others from what it has locked. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/**
 * @param url `postgres://user:password@host:port/database`
 * @param isPatient for a command that moves everything there is, and keeps nobody waiting
 * @throws when it cannot be reached or is not ours
 */
export async function openPostgres(url: string, isPatient = false): Promise<Database> {
  const limits = isPatient
    ? {}
    : {
        query_timeout: WRITE_MS,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
        lock_timeout: CONNECT_MS,
      };
  const writers = openPool(url, { ...limits, max: WRITERS_MAX });
  const ledger = openPool(url, { ...limits, max: LEDGER_MAX });
  const readers = openPool(url, {
    max: READERS_MAX,
    statement_timeout: READ_MS,
    query_timeout: READ_MS + CONNECT_MS,
    options: `-c default_transaction_read_only=on ${WITHOUT_COMPILING}`,
  });
  // Most nodes are never asked.
  let slices: ReadingThread<SliceTask> | undefined;
  const sumSlices = (task: SliceTask): Promise<unknown> => {
    slices ??= startReadingThread(new URL('./slice-worker.ts', import.meta.url), url);
    return slices.ask(task);
  };
  const close = async (): Promise<void> => {
    await slices?.close();
    await Promise.all([writers, ledger, readers].map((pool) => pool.end()));
  };
  try {
    const upgrading = openPool(url, { max: 4 });
    await bringUpToDate(upgrading).finally(() => upgrading.end());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    writer: new Kysely<Schema>({ dialect: createPostgresDialect(writers, { takesTurns: true }) }),
    reader: new Kysely<Schema>({ dialect: createPostgresDialect(readers) }),
    readAtLength: (work) => readPostgresMoment(url, work, READ_AT_LENGTH_MS),
    sumSlices: sumSlices as SumSlices,
    engine: { kind: 'postgres', pool: ledger },
    close,
  };
}

/** Like `readMoment`. @param deadlineMs of each statement */
export async function readPostgresMoment<T>(
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
      .execute(work);
  } finally {
    await pool.end();
  }
}

function openPool(url: string, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    options: WITHOUT_COMPILING,
    application_name: 'switchyard',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: parserOf },
    ...options,
  });
  // A connection that breaks is replaced; who uses one hears of it by its query.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** Nodes that start together wait for each other. */
async function bringUpToDate(pool: pg.Pool): Promise<void> {
  await createFunctions(pool);
  await migrate(
    new Kysely<Schema>({ dialect: createPostgresDialect(pool, { inItsWords: inPostgresWords }) }),
    {
      copyFirst: false,
    },
  );
}
