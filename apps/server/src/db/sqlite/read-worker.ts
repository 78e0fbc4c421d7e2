/** A thread with a read-only connection, so that long queries do not stop the relay. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { addSliceFunctions } from '../slices/slices.ts';
import { createExecute } from './sqlite-dialect.ts';

export interface ReadRequest {
  id: number;
  sql: string;
  parameters: readonly unknown[];
}
export type ReadAnswer = { id: number; rows: unknown[] } | { id: number; error: string };

const connection = new DatabaseSync(String(workerData), { readOnly: true });
connection.exec('PRAGMA query_only = ON; PRAGMA mmap_size = 67108864');
addSliceFunctions(connection);
const execute = createExecute(connection);

parentPort?.on('message', async ({ id, sql, parameters }: ReadRequest) => {
  try {
    const { rows } = await execute(sql, parameters);
    parentPort?.postMessage({ id, rows } satisfies ReadAnswer);
  } catch (error) {
    parentPort?.postMessage({
      id,
      error: error instanceof Error ? error.message : String(error),
    } satisfies ReadAnswer);
  }
});
