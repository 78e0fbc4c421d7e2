/** Pools of connections to PostgreSQL. */
import pg from 'pg';
import { getValueParser } from './values.ts';

const READERS_MAX = 6;
/** Maximum milliseconds that a query waits for a connection when all are busy. */
export const CONNECT_MS = 5_000;
/** Timeout of a list or a report. */
export const READ_MS = 15_000;
/** Disables JIT compilation, for which PostgreSQL can spend a third of a second on a list of a few milliseconds. */
export const JIT_OFF = '-c jit=off';

export function openPool(url: string, options: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    options: JIT_OFF,
    application_name: 'switchyard',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: { getTypeParser: getValueParser },
    ...options,
  });
  // A broken connection is replaced; its running query reports the error.
  pool.on('error', () => {});
  pool.on('connect', (client) => void client.on('error', () => {}));
  return pool;
}

/** Returns the pool for lists and reports. */
export function openReaderPool(url: string): pg.Pool {
  return openPool(url, {
    max: READERS_MAX,
    statement_timeout: READ_MS,
    query_timeout: READ_MS + CONNECT_MS,
    options: `-c default_transaction_read_only=on ${JIT_OFF}`,
  });
}
