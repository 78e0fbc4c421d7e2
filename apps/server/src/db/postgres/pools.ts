/** Pools of connections to PostgreSQL. */
import pg from 'pg';
import { getValueParser } from './sqlite-compatibility.ts';

const READERS_MAX = 6;
/** Maximum milliseconds that a query waits for a connection when all are busy. */
export const CONNECT_MS = 5_000;
/** Timeout of a list or a report. */
export const READ_MS = 15_000;
/** Message of `pg` for a query that got no response in time. */
const READ_TIMEOUT = 'Query read timeout';
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
  pool.on('connect', (client) => {
    client.on('error', () => {});
    closeAfterTimeout(client);
  });
  return pool;
}

/**
 * Closes the connection when a query gets no response in time, so that the pool opens another one: after a failover,
 * the server behind this connection may never respond again. `pg` itself leaves it open.
 */
function closeAfterTimeout(client: pg.PoolClient): void {
  const query: unknown = Reflect.get(client, 'query');
  if (typeof query !== 'function' || !(client instanceof pg.Client)) return;
  Reflect.set(client, 'query', (...parameters: readonly unknown[]): unknown => {
    const result: unknown = Reflect.apply(query, client, parameters);
    if (result instanceof Promise)
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === READ_TIMEOUT) client.end().catch(() => {});
      });
    return result;
  });
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
