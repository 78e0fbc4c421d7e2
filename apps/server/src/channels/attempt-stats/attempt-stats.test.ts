import { channelTests } from '@switchyard/contract/channels/channel-tests';
import type { ChannelId } from '@switchyard/contract/ids';
import { settings } from '@switchyard/contract/operations/settings';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { getAttemptCounter, removeOldAttemptHours } from './attempt-stats.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let scene: RelayScene;
let id: ChannelId;

beforeAll(async () => {
  scene = await startRelayScene();
  // What follows takes some hours of one day.
  const left = DAY - (scene.clock.now() % DAY);
  if (left < 4 * HOUR) scene.clock.advance(left / 1_000);
  await scene.admin.api(settings).update({ body: { key: 'RetryCooldownSeconds', value: '0' } });
  id = (await scene.newChannel({ models: ['scripted', 'wild-*'] })) as ChannelId;
});
afterAll(() => scene.close());

const history = async () => {
  await getAttemptCounter(scene.ctx).write();
  return scene.admin.api(channelTests).history({ params: { id } });
};

test('counts successes and failures of a channel by model and hour, and keeps them', async () => {
  await scene.chat('scripted');
  await scene.chat('scripted');
  scene.upstream.setScript(() => ({ status: 500 }));
  await scene.chat('scripted');
  scene.upstream.setScript(() => ({ status: 400 }));
  await scene.chat('scripted');
  scene.upstream.setScript(undefined);
  await scene.waitUntilSettled();
  const [model] = await history();
  expect(model?.model).toBe('scripted');
  expect(model?.hours).toHaveLength(24);
  expect(model?.hours.at(-1)).toMatchObject({ answered: 2, failed: 1 });
  expect(model?.days).toHaveLength(30);
  expect(model?.days.at(-1)).toMatchObject({ answered: 2, failed: 1 });
  expect(model?.failures).toEqual([{ kind: 'overloaded', count: 1 }]);
  expect(model?.p50).toBeGreaterThan(0);
  expect(model?.p95).toBeGreaterThanOrEqual(model?.p50 ?? 0);
  await scene.chat('scripted');
  await scene.waitUntilSettled();
  expect((await history())[0]?.hours.at(-1)).toMatchObject({ answered: 3, failed: 1 });
});

test('names that only a wildcard covers are counted together, so that clients cannot fill the table', async () => {
  for (const model of ['wild-1', 'wild-2', 'wild-3']) await scene.chat(model);
  await scene.waitUntilSettled();
  const models = await history();
  expect(models.map(({ model }) => model)).toEqual(['scripted', 'wild-*']);
  expect(models[1]?.days.at(-1)?.answered).toBe(3);
});

test('a write that fails loses nothing', async () => {
  const counts = getAttemptCounter(scene.ctx);
  counts.countSuccess({ id: 999_999, models: ['scripted'] }, 'scripted', 0);
  await expect(counts.write()).rejects.toThrow(/foreign key/i);
  const [source] = await scene.ctx.db.writer.selectFrom('channel').selectAll().where('id', '=', id).execute();
  if (source === undefined) throw new Error('There is no channel');
  await scene.ctx.db.writer
    .insertInto('channel')
    .values({ ...source, id: 999_999 })
    .execute();
  await counts.write();
  const rows = await scene.ctx.db.writer
    .selectFrom('channel_hour')
    .selectAll()
    .where('channel_id', '=', 999_999)
    .execute();
  expect(rows).toMatchObject([{ model: 'scripted', answered: 1 }]);
});

test('hours are forgotten after ninety days', async () => {
  const hour = Math.floor(scene.clock.now() / HOUR);
  for (const age of [0, 89 * 24, 91 * 24])
    await scene.ctx.db.writer
      .insertInto('channel_hour')
      .values({ channel_id: id, model: 'old', hour: hour - age, answered: 1 })
      .execute();
  await removeOldAttemptHours(scene.ctx);
  const rows = await scene.ctx.db.writer.selectFrom('channel_hour').select('hour').where('model', '=', 'old').execute();
  expect(rows.map((row) => hour - row.hour).toSorted((a, b) => a - b)).toEqual([0, 89 * 24]);
});

test('the status page is off until it is published, and then names models and no channel', async () => {
  const read = () => scene.anonymous.api(channelTests).statusPage();
  await expect(read()).rejects.toMatchObject({ code: 'switched-off' });
  await scene.admin.api(settings).update({ body: { key: 'StatusPageEnabled', value: 'true' } });
  const second = (await scene.newChannel({ name: 'hidden-name', models: ['scripted'] })) as ChannelId;
  const hour = Math.floor(scene.clock.now() / HOUR);
  await scene.ctx.db.writer
    .insertInto('channel_hour')
    .values({ channel_id: second, model: 'scripted', hour: hour - 24, answered: 90, overloaded: 10 })
    .execute();
  await scene.ctx.db.writer
    .insertInto('channel_hour')
    .values({ channel_id: id, model: 'scripted', hour: hour - 24, answered: 0, unreachable: 100 })
    .execute();
  const page = await read();
  expect(page.models.map(({ model }) => model)).toEqual(['scripted']);
  const days = page.models[0]?.days ?? [];
  expect(days).toHaveLength(90);
  expect(days.at(0)).toBeNull();
  expect(days.at(-2)).toBe(0.9);
  expect(JSON.stringify(page)).not.toMatch(/hidden-name|channel/);
  await scene.ctx.db.writer.deleteFrom('channel_hour').where('channel_id', '=', id).execute();
  expect(await read()).toEqual(page);
});

test('limits the status page to sixty requests a minute for each address', async () => {
  const read = () => scene.anonymous.api(channelTests).statusPage();
  await scene.admin.api(settings).updateMany({ body: [{ key: 'StatusPageEnabled', value: 'true' }] });
  scene.clock.advance(60);
  for (let time = 0; time < 60; time += 1) await read();
  await expect(read()).rejects.toMatchObject({ code: 'too-many-requests' });
  scene.clock.advance(60);
  await read();
});

test('the status page is renewed after its minute when the clock is set back', async () => {
  const read = () => scene.anonymous.api(channelTests).statusPage();
  await scene.admin.api(settings).updateMany({ body: [{ key: 'StatusPageEnabled', value: 'true' }] });
  const { first_hour } = await read();
  scene.clock.jump(-2 * 3_600);
  scene.clock.advance(61);
  expect((await read()).first_hour).toBeLessThan(first_hour);
  scene.clock.jump(2 * 3_600);
});

test('the status page omits channels that only other groups can use', async () => {
  scene.clock.advance(601);
  await scene.ctx.db.writer
    .updateTable('channel')
    .set({ groups: '["private"]' })
    .where('name', '=', 'hidden-name')
    .execute();
  const page = await scene.anonymous.api(channelTests).statusPage();
  expect(page.models[0]?.days.at(-2)).toBeNull();
});

test('the status page weighs requests: a lucky one does not make an hour, and one failure is no disruption', async () => {
  // The readings below take less than the hour that begins now.
  scene.clock.advance((HOUR - (scene.clock.now() % HOUR)) / 1_000);
  const hour = Math.floor(scene.clock.now() / HOUR);
  const other = (await scene.newChannel({ name: 'other', models: ['scripted'] })) as ChannelId;
  const count = (channel_id: number, at: number, counts: { answered: number; overloaded: number }) =>
    scene.ctx.db.writer
      .insertInto('channel_hour')
      .values({ channel_id, model: 'scripted', hour: at, ...counts })
      .execute();
  const read = async () => {
    scene.clock.advance(601);
    return (await scene.anonymous.api(channelTests).statusPage()).models[0];
  };
  await scene.ctx.db.writer.deleteFrom('channel_hour').execute();
  expect(await read()).toMatchObject({ state: 'unknown', uptime: null, last_incident: null });
  await count(other, hour - 30, { answered: 0, overloaded: 1 });
  expect(await read()).toMatchObject({ state: 'unknown', last_incident: null });
  await count(id, hour, { answered: 1, overloaded: 0 });
  expect(await read()).toMatchObject({ state: 'operational' });
  await count(other, hour, { answered: 0, overloaded: 99 });
  const down = await read();
  expect(down).toMatchObject({ state: 'down', last_incident: hour * 3_600 });
  expect(down?.hours.at(-1)).toBe(0.01);
  await count(other, hour - 1, { answered: 300, overloaded: 5 });
  expect(await read()).toMatchObject({ state: 'degraded' });
});
