import { channels } from '@switchyard/contract/channels/channels';
import { expect, test, vi } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { loadChannels } from './registry.ts';
import { channelRoutes } from './routes.ts';

const OPENAI = 1;
const MANY = 200;
const app = await useFeatureApp([serveRoutes(channels, channelRoutes)]);
// The gateway reloads channels the same way.
app.ctx.changes.subscribe(async (change) => {
  if (change.topic === 'channels') await loadChannels(app.ctx, change.ids);
});
const api = (await app.createUser('admin')).api(channels);
const key = Array.from({ length: MANY }, (_, at) => `sk-${at}`).join('\n');
const created = await api.create({ body: { name: 'many', type: OPENAI, models: ['a', 'b*'], key } });

test('a change of one channel opens the secrets of that one, not of all', async () => {
  const [one] = created;
  if (one === undefined) throw new Error('No channel was created');
  const before = await loadChannels(app.ctx);
  const open = vi.spyOn(app.ctx.vault, 'open');
  await api.update({ body: { id: one.id, priority: 7 } });
  expect(open.mock.calls.length).toBeLessThan(20);
  open.mockRestore();
  const after = await loadChannels(app.ctx);
  expect(after).toHaveLength(MANY);
  expect(after.filter((channel, at) => channel !== before[at]).map(({ id }) => id)).toEqual([one.id]);
  expect(after[0]?.priority).toBe(7);
});

test('an incremental read finds disabled, deleted and created channels', async () => {
  const [first, second] = created;
  if (first === undefined || second === undefined) throw new Error('No channels were created');
  const ids = async () => (await loadChannels(app.ctx, [])).map(({ id }) => id);
  await api.update({ body: { id: first.id, status: 'disabled' } });
  expect(await ids()).not.toContain(first.id);
  await api.remove({ params: { id: second.id } });
  expect(await ids()).not.toContain(second.id);
  await api.update({ body: { id: first.id, status: 'enabled' } });
  const [made] = await api.create({ body: { name: 'made', type: OPENAI, models: ['a'], key: 'sk-made' } });
  const now = await ids();
  expect(now).toEqual(now.toSorted((a, b) => a - b));
  expect(now).toEqual(expect.arrayContaining([first.id, made?.id]));
  expect(now).toEqual((await loadChannels(app.ctx)).map(({ id }) => id));
});

test('figures that tests and calls leave behind make no channel a new one', async () => {
  const before = await loadChannels(app.ctx);
  await app.ctx.db.writer.updateTable('channel').set({ response_time: 12, test_time: 34 }).execute();
  const after = await loadChannels(app.ctx);
  expect(after.every((channel, at) => channel === before[at])).toBe(true);
});

test('a page of a list takes as many queries for thousands as for few', async () => {
  const prepare = vi.spyOn(app.ctx.db.reader.getExecutor(), 'executeQuery');
  await api.list({ query: { size: 50, keyword: 'many' } });
  const ofList = prepare.mock.calls.filter(([{ sql }]) => sql.includes('"channel_usage"'));
  expect(ofList.length).toBeGreaterThan(0);
  expect(ofList.length).toBeLessThanOrEqual(2);
});

test('a model is searched in lists that name it, with any characters', async () => {
  await api.create({ body: { name: 'odd', type: OPENAI, models: ['odd"\\name'], key: 'sk-odd' } });
  const found = async (models: string) => (await api.list({ query: { models } })).total_count;
  expect(await found('D"\\N')).toBe(1);
  expect(await found('","')).toBe(0);
});
