import { expect, test } from 'vitest';
import { fillStorage } from '../../testing/reject-database-writes.ts';
import { startTestApp } from '../../testing/start-test-app.ts';

const ask = async (url: string, path: string) => {
  const response = await fetch(url + path);
  return [response.status, (await response.text()).trim()];
};

test('a server that can write is alive and ready', async () => {
  const app = await startTestApp();
  expect(await ask(app.url, '/healthz')).toEqual([200, 'alive']);
  expect(await ask(app.url, '/readyz')).toEqual([200, 'ready']);
  const row = await app.ctx.db.writer.selectFrom('readiness').selectAll().executeTakeFirst();
  expect(row?.tried_at).toBeGreaterThan(0);
  await app.close();
});

test('a server that cannot write is alive, and not ready', async () => {
  const app = await startTestApp();
  const makeRoom = await fillStorage(app.ctx.db);
  expect(await ask(app.url, '/readyz')).toEqual([503, 'the storage cannot be written']);
  expect(await ask(app.url, '/healthz')).toEqual([200, 'alive']);
  await makeRoom();
  await app.close();
});
