/** Worker thread with a read-only connection, so that long queries do not block the relay. */
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { workerData } from 'node:worker_threads';
import { serveThreadRequests } from '../reading-thread.ts';
import { type RollupTask, type RowsQuery, runRollupTask } from '../rollups/run-rollup-queries.ts';
import { createExecute } from './execute.ts';

/** Query, or an analytics task. */
export type ReadWork = RowsQuery | RollupTask;

const connection = new DatabaseSync(String(workerData), { readOnly: true });
connection.exec('PRAGMA query_only = ON; PRAGMA mmap_size = 67108864');
const execute = createExecute(connection);

const rowsOf = ({ sql, parameters }: RowsQuery) => connection.prepare(sql).iterate(...(parameters as SQLInputValue[]));

serveThreadRequests<ReadWork>(async (work, isLate) =>
  'kind' in work ? runRollupTask(work, rowsOf, isLate) : (await execute(work.sql, work.parameters)).rows,
);
