/** The database of several nodes: PostgreSQL, from version 14 on. */
import { Kysely } from 'kysely';
import pg from 'pg';
import type { Database, SumSlices } from '../database.ts';
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
/** A node that is cut off must not keep the others from what it has locked. */
const IDLE_IN_TRANSACTION_MS = 15_000;

/** @param url `postgres://user:password@host:port/database` @throws when it cannot be reached or is not ours */
export async function openPostgres(url: string): Promise<Database> {
  const open = (options: pg.PoolConfig): pg.Pool => {
    const pool = new pg.Pool({
      connectionString: url,
      application_name: 'switchyard',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      types: { getTypeParser: parserOf },
      ...options,
    });
    // A connection that breaks while nobody uses it is replaced; who uses one hears of it by its query.
    pool.on('error', () => {});
    return pool;
  };
  const limits = { idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS, lock_timeout: CONNECT_MS };
  const writers = open({ ...limits, max: WRITERS_MAX });
  const ledger = open({ ...limits, max: LEDGER_MAX });
  const readers = open({
    max: READERS_MAX,
    statement_timeout: READ_MS,
    options: '-c default_transaction_read_only=on',
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
    await bringUpToDate(writers);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    writer: new Kysely<Schema>({ dialect: createPostgresDialect(writers, { takesTurns: true }) }),
    reader: new Kysely<Schema>({ dialect: createPostgresDialect(readers) }),
    sumSlices: sumSlices as SumSlices,
    engine: { kind: 'postgres', pool: ledger },
    close,
  };
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
