/** Worker thread with its own connection that computes analytics. */
import { workerData } from 'node:worker_threads';
import pg from 'pg';
import { serveThreadRequests } from '../reading-thread.ts';
import { type RollupTask, type RowsQuery, runRollupTask } from '../rollups/run-rollup-queries.ts';
import { CONNECT_MS, JIT_OFF, READ_MS } from './pools.ts';
import { getValueParser } from './sqlite-compatibility.ts';

let connection: pg.Client | undefined;

async function connected(): Promise<pg.Client> {
  if (connection !== undefined) return connection;
  const client = new pg.Client({
    connectionString: String(workerData),
    options: JIT_OFF,
    application_name: 'switchyard',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: READ_MS,
    query_timeout: READ_MS,
    keepAlive: true,
    types: { getTypeParser: getValueParser },
  });
  // The next task opens another connection.
  const lost = (): void => {
    if (connection === client) connection = undefined;
  };
  client.on('error', lost);
  client.on('end', lost);
  await client.connect();
  connection = client;
  return client;
}

async function* rowsOf(client: pg.Client, { sql, parameters }: RowsQuery, atOnce: number) {
  await client.query(`declare read_on no scroll cursor for ${sql}`, [...parameters]);
  for (;;) {
    const { rows } = await client.query<Record<string, unknown>>(`fetch ${atOnce} from read_on`);
    yield* rows;
    if (rows.length < atOnce) break;
  }
  await client.query('close read_on');
}

serveThreadRequests<RollupTask>(async (task, isLate) => {
  const client = await connected();
  try {
    await client.query('begin isolation level repeatable read read only');
    const answer = await runRollupTask(task, (query, atOnce) => rowsOf(client, query, atOnce), isLate);
    await client.query('rollback');
    return answer;
  } catch (error) {
    // The connection may hang permanently.
    connection = undefined;
    void client.end();
    throw error;
  }
});
