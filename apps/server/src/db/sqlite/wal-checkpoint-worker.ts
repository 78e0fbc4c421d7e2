/** Worker thread that copies the write-ahead log into the database, during writes and reads. */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveThreadRequests } from '../reading-thread.ts';

export type CheckpointTask = 'count' | 'copy';

const connection = new DatabaseSync(String(workerData));
connection.exec('PRAGMA synchronous = NORMAL');
const works = {
  count: connection.prepare('PRAGMA wal_checkpoint(NOOP)'),
  copy: connection.prepare('PRAGMA wal_checkpoint(PASSIVE)'),
};

/** Returns the number of pages in the log, before or after they are copied. */
serveThreadRequests<CheckpointTask>(async (work) => Number(works[work].get()?.['log'] ?? 0));
