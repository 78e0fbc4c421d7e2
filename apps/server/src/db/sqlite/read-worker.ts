/** A thread with a read-only connection, so that long queries do not stop the relay. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { answerWork } from '../reading-thread.ts';
import { answerTask, type RowsQuery, type SliceTask } from '../slices/slices.ts';
import { createExecute } from './execute.ts';

/** One query, or a task about slices. */
export type ReadWork = RowsQuery | SliceTask;

const connection = new DatabaseSync(String(workerData), { readOnly: true });
connection.exec('PRAGMA query_only = ON; PRAGMA mmap_size = 67108864');
const execute = createExecute(connection);

const rowsOf = ({ sql, parameters }: RowsQuery) =>
  connection.prepare(sql).iterate(...(parameters as SQLInputValue[]));

answerWork<ReadWork>(async (work, isLate) =>
  'kind' in work ? answerTask(work, rowsOf, isLate) : (await execute(work.sql, work.parameters)).rows,
);
