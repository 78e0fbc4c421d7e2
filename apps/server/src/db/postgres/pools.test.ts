import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { createEmptyDatabase, sharedPostgres } from '../../testing/shared-servers.ts';
import { openPool } from './pools.ts';
import { createPostgresDialect } from './postgres-dialect.ts';

const TIMEOUT_MS = 500;

test('a connection whose server fell silent is used once, and the next query gets another one', async (context) => {
  const server = await sharedPostgres();
  if (server === undefined) return context.skip('PostgreSQL is not installed here');
  const line = await startFaultyProxy(await createEmptyDatabase(server));
  const pool = openPool(line.url, { max: 1, query_timeout: TIMEOUT_MS });
  const db = new Kysely<object>({ dialect: createPostgresDialect(pool) });
  onTestFinished(async () => {
    await db.destroy();
    await line.close();
  });
  const read = async (): Promise<unknown> => (await sql`select 1 as one`.execute(db)).rows;
  expect(await read()).toEqual([{ one: 1 }]);
  line.hang();
  await expect(read()).rejects.toThrow('Query read timeout');
  line.acceptNew();
  expect(await read()).toEqual([{ one: 1 }]);
  await expect(db.transaction().execute((trx) => sql`select 1 as one`.execute(trx))).resolves.toMatchObject({
    rows: [{ one: 1 }],
  });
});
