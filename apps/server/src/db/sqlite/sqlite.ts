/**
 * Opens SQLite as the database of one node. One writing connection in this thread is shared with the ledger under one
 * lock. Reading connections in threads of their own serve lists and reports.
 */
import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { isStorageFailure } from '../../ledger/commit/storage-failure.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';
import { migrate, type Upgrade } from '../backup-and-migrate.ts';
import { type Database, LONG_READ_MS, type SumRollups } from '../database-handle.ts';
import { createReadingThread, type ReadingThread } from '../reading-thread.ts';
import { isForJob, type RollupTask } from '../rollups/run-rollup-queries.ts';
import { createExecute, type Execute } from './execute.ts';
import type { ReadWork } from './read-worker.ts';
import { createSqliteDialect } from './sqlite-dialect.ts';
import { startCheckpointing } from './wal-checkpoints.ts';
import { BUSY_MAX_MS, createWriterLock } from './writer-lock-and-busy-retry.ts';

const readWorker = new URL('./read-worker.ts', import.meta.url);

function createReader(thread: ReadingThread<ReadWork>): Kysely<Schema> {
  const read: Execute = async (sql, parameters) => ({ rows: (await thread.run({ sql, parameters })) as unknown[] });
  return new Kysely<Schema>({ dialect: createSqliteDialect(read) });
}

function openConnection(file: string): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: BUSY_MAX_MS });
  try {
    configureConnection(connection);
    return connection;
  } catch (error) {
    connection.close();
    throw describeOpenFailure(error, file) ?? error;
  }
}

function configureConnection(connection: DatabaseSync): void {
  // NORMAL loses nothing if the process dies; the ledger syncs the log itself against power cuts. A thread copies
  // pages to the database; this connection does so only if the log exceeds 128 MB.
  connection.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    PRAGMA foreign_keys = ON;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -32768;
    PRAGMA wal_autocheckpoint = 32000;
    PRAGMA journal_size_limit = 268435456;
  `);
}

/** Primary result codes: https://sqlite.org/rescode.html */
const BUSY = 5;
const CORRUPT = 11;
const NOT_A_DATABASE = 26;

function describeOpenFailure(error: unknown, file: string): Error | undefined {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return undefined;
  switch (error.errcode & 0xff) {
    case BUSY:
      return new Error(`The database ${file} is locked by another program. Stop that program, and try again.`, {
        cause: error,
      });
    case CORRUPT:
    case NOT_A_DATABASE:
      return new Error(
        `The database ${file} is damaged (${error.message}). Restore a backup: npm run switchyard -- restore BACKUP --replace`,
        { cause: error },
      );
    default:
      return undefined;
  }
}

/** Opens the file, and creates it if needed. */
export async function openSqlite(file: string, upgrade: Upgrade, machine: Clock): Promise<Database> {
  // Only the owner may read a new file and its log, because the folder may be readable by others.
  closeSync(openSync(file, 'a', 0o600));
  const connection = openConnection(file);
  const lock = createWriterLock();
  let reportUncertain = (): void => {};
  const execute = createExecute(connection);
  const executeReporting: Execute = (statement, parameters) => {
    try {
      return execute(statement, parameters);
    } catch (error) {
      if (isStorageFailure(error)) reportUncertain();
      throw error;
    }
  };
  const dialect = createSqliteDialect(executeReporting, { connection, lock, machine });
  const writer = new Kysely<Schema>({ dialect });
  try {
    await migrate(writer, upgrade, file);
  } catch (error) {
    connection.close();
    throw error;
  }
  // From now on, other requests are served while the file is locked.
  connection.exec('PRAGMA busy_timeout = 0');
  const stopCopying = startCheckpointing({ file, lock }, machine);
  const listThread = createReadingThread<ReadWork>(readWorker, file, machine);
  // A report may take seconds, and must not delay lists, or requests that continue a stored conversation.
  const reportThread = createReadingThread<ReadWork>(readWorker, file, machine);
  // Packing an hour of a large site takes longer than a report may, and must not delay reports.
  const rollupThread = createReadingThread<ReadWork>(readWorker, file, machine, LONG_READ_MS);
  const sumSlices = (task: RollupTask): Promise<unknown> => (isForJob(task) ? rollupThread : reportThread).run(task);
  return {
    writer,
    reader: createReader(listThread),
    async readLongRunning(work) {
      const own = createReadingThread<ReadWork>(readWorker, file, machine, LONG_READ_MS);
      return work(createReader(own)).finally(() => own.close());
    },
    reports: createReader(reportThread),
    replica: undefined,
    sumRollups: sumSlices as SumRollups,
    engine: {
      kind: 'sqlite',
      connection,
      lock,
      file,
      onUncertainWrite(report) {
        reportUncertain = report;
      },
    },
    machine,
    async close() {
      await Promise.all([stopCopying(), listThread.close(), reportThread.close(), rollupThread.close()]);
      connection.close();
    },
  };
}

export async function readSqliteSnapshot<T>(file: string, work: (db: Kysely<Schema>) => Promise<T>): Promise<T> {
  const connection = new DatabaseSync(file, { readOnly: true });
  connection.exec('begin');
  try {
    return await work(new Kysely<Schema>({ dialect: createSqliteDialect(createExecute(connection)) }));
  } finally {
    connection.close();
  }
}
