/** A thread that copies the write-ahead log into the database, while others write and read. */
import { DatabaseSync } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answerWork } from '../reading-thread.ts';

const connection = new DatabaseSync(String(workerData));
connection.exec('PRAGMA synchronous = NORMAL');
const copy = connection.prepare('PRAGMA wal_checkpoint(PASSIVE)');

/** How many pages are in the log. */
answerWork<'copy'>(async () => Number(copy.get()?.['log'] ?? 0));
