/** A change on one node applies on the others at once. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { createUserGroup, userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { type Nodes, startNodes } from '../../testing/start-nodes.ts';
import { createTestClock } from '../../testing/test-clock.ts';

let nodes: Nodes | undefined;
/** Clock of both nodes. It is stopped, so that they learn of a change only from a notification. */
const machine = createTestClock(0);
const HEARD = { timeout: 60_000, interval: 20 };

beforeAll(async () => {
  nodes = await startNodes({ machine });
  await nodes?.first.admin.api(prices).create({ body: priceOf(1) });
});
beforeEach((context) => {
  if (nodes === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(() => nodes?.close());

function priceOf(times: number) {
  const each = { input: 1_000_000_000 * times, output: 1_000_000_000 * times };
  return savePrice.parse({ model: 'scripted*', rates: rates.parse(each) });
}

function both(): Nodes {
  if (nodes === undefined) throw new Error('There is no PostgreSQL on this machine');
  return nodes;
}

/** Asks the node on which nothing is changed. */
async function askSecond(key: string, model = 'scripted'): Promise<number> {
  const response = await fetch(`${both().second.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say something.' }] }),
  });
  await response.text();
  return response.status;
}

/** Lets the nodes poll for missed notifications. */
const afterLooks = (check: () => Promise<void>): Promise<void> =>
  vi.waitFor(async () => {
    machine.advance(0.5);
    await check();
  }, HEARD);

const becomes = (status: number, key: string): Promise<void> =>
  vi.waitFor(async () => expect(await askSecond(key)).toBe(status), HEARD);

test('a key that is made or switched off on one node is known to the other', async () => {
  const { first } = both();
  await first.newChannel({});
  const { id, key } = await first.user.api(apiKeys).create({ body: { name: 'far', unlimited_quota: true } });
  await becomes(200, key);
  await first.user.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } });
  await becomes(401, key);
});

test('all nodes refuse a key whose disabling was committed without a response', async () => {
  const { first } = both();
  const line = await startFaultyProxy(first.ctx.config.databaseUrl ?? '');
  const uncertain = await both().start({ config: { databaseUrl: line.url } });
  onTestFinished(async () => {
    line.restore();
    await uncertain.close();
    await line.close();
  });
  const user = await uncertain.createUser('user', { quota: 1_000_000 });
  const { id, key } = await user.api(apiKeys).create({ body: { name: 'uncertain', unlimited_quota: true } });
  await becomes(200, key);
  line.loseCommits();
  await expect(user.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } })).rejects.toMatchObject({
    code: 'unavailable',
  });
  line.restore();
  await afterLooks(async () => expect(await askSecond(key)).toBe(401));
  const own = await fetch(`${uncertain.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  expect(own.status).toBe(401);
});

test('a user that is disabled on one node is refused by the other', async () => {
  const { first } = both();
  const user = await first.createUser('user', { quota: 1_000_000 });
  const key = await first.newKey({ unlimited_quota: true }, user);
  await becomes(200, key);
  await first.admin.api(users).manage({ body: { username: user.username, action: 'disable' } });
  await becomes(401, key);
});

test('a channel that is switched off on one node is not asked by the other', async () => {
  const { first } = both();
  const id = await first.newChannel({ name: 'far', models: ['scripted-far'] });
  await vi.waitFor(async () => expect(await askSecond(first.key, 'scripted-far')).toBe(200), HEARD);
  const list = await first.admin.api(channels).list({ query: { page: 1, size: 10 } });
  for (const channel of list.data)
    await first.admin.api(channels).update({ body: { id: channel.id, status: 'disabled' } });
  expect(list.data.map((channel) => channel.id)).toContain(id);
  await vi.waitFor(async () => expect(await askSecond(first.key, 'scripted-far')).toBe(503), HEARD);
  for (const channel of list.data)
    await first.admin.api(channels).update({ body: { id: channel.id, status: 'enabled' } });
  await becomes(200, first.key);
});

test('a price, a setting and a group that change on one node hold on the other', async () => {
  const { first, second } = both();
  const [, record] = [await askSecond(first.key), (await first.records()).at(-1)];
  expect(record).toBeDefined();
  await first.admin.api(prices).update({ params: { model: 'scripted*' }, body: priceOf(2) });
  await vi.waitFor(async () => {
    await askSecond(first.key);
    expect((await first.records()).at(-1)?.quota).toBe(2 * (record?.quota ?? 0));
  }, HEARD);

  await first.admin.api(settings).updateMany({ body: [{ key: 'SystemName', value: 'Far away' }] });
  await vi.waitFor(() => expect(second.ctx.settings.systemName).toBe('Far away'), HEARD);

  const group = await first.admin
    .api(userGroups)
    .create({ body: createUserGroup.parse({ symbol: 'far', name: 'Far' }) });
  await first.newChannel({ group: ['far'] });
  const user = await first.createUser('user', { group: 'far', quota: 1_000_000 });
  const key = await first.newKey({ unlimited_quota: true }, user);
  await becomes(200, key);
  await first.admin.api(userGroups).toggle({ params: { id: group.id } });
  await becomes(403, key);
});

test('a node finds missed changes by the topic versions', async () => {
  const { first, second } = both();
  const { id, key } = await first.user.api(apiKeys).create({ body: { name: 'x', unlimited_quota: true } });
  await becomes(200, key);
  // Simulates a lost notification: only the row and the version are written.
  await first.ctx.db.writer.updateTable('api_key').set({ status: 'disabled' }).where('id', '=', id).execute();
  await first.ctx.db.writer
    .updateTable('change_version')
    .set(({ eb }) => ({ version: eb('version', '+', 1) }))
    .where('topic', '=', 'api-keys')
    .execute();
  expect(await askSecond(key)).toBe(200);
  await afterLooks(async () => expect(await askSecond(key)).toBe(401));
  expect(second.ctx.changes.getVersion('api-keys')).toBeGreaterThan(0);
});

test('a node reads the changes of its disconnected time when it reconnects', async () => {
  const { first } = both();
  const { id, key } = await first.user.api(apiKeys).create({ body: { name: 'y', unlimited_quota: true } });
  await becomes(200, key);
  const { engine } = first.ctx.db;
  if (engine.kind !== 'postgres') throw new Error('This is about PostgreSQL');
  const { rowCount } = await engine.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and query like 'select topic, version from change_version%'`,
  );
  expect(rowCount).toBe(2);
  await first.user.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } });
  await afterLooks(async () => expect(await askSecond(key)).toBe(401));
  const { id: next, key: later } = await first.user.api(apiKeys).create({ body: { name: 'z', unlimited_quota: true } });
  expect(next).toBeGreaterThan(id);
  await becomes(200, later);
});

test('a node retries a failed read of its own change', async () => {
  const { first } = both();
  await first.newChannel({});
  const { id, key } = await first.user.api(apiKeys).create({ body: { name: 'w', unlimited_quota: true } });
  const other = await first.user.api(apiKeys).create({ body: { name: 'v', unlimited_quota: true } });
  const statusOf = async (of: string) => (await first.chat('scripted', {}, of)).status;
  expect(await statusOf(key)).toBe(200);
  const { writer } = first.ctx.db;
  await writer.updateTable('api_key').set({ status: 'disabled' }).where('id', '=', id).execute();
  const failing = vi.spyOn(writer, 'selectFrom').mockImplementationOnce(() => {
    throw new Error('timeout exceeded when trying to connect');
  });
  await first.ctx.changes.publish({ topic: 'api-keys', ids: [other.id] });
  failing.mockRestore();
  await afterLooks(async () => expect(await statusOf(key)).toBe(401));
  expect(await statusOf(other.key)).toBe(200);
});

test('announces a change of more ids than a notification can hold', async () => {
  const { first, second } = both();
  const received: number[] = [];
  second.ctx.changes.subscribe((change) => {
    if (change.topic === 'users') received.push(...(change.ids ?? []));
  });
  const ids = Array.from({ length: 5_000 }, (_, nth) => 1_000_000_000 + nth);
  await first.ctx.changes.publish({ topic: 'users', ids });
  await expect.poll(() => received.toSorted((a, b) => a - b)).toEqual(ids);
  expect(await askSecond(first.key)).toBe(200);
});
