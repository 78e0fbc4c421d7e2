/** Spending caps of a channel per day and month, for clients and administrators. */
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import { settings } from '@switchyard/contract/operations/settings';
import { afterEach, expect, test } from 'vitest';
import { getPeriodStart, openLedger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { silentLog } from '../../platform/log.ts';
import { NOON, type RelayScene, useRelayScene } from '../../testing/relay-scene.ts';
import { createRunningCosts } from './running-costs-and-caps.ts';

const MODEL = 'scripted';
const DAY = 86_400;
const least = toPoints(1);

interface Scene extends RelayScene {
  ask(): Promise<[status: number, channel: string | undefined]>;
  channel(id: number): Promise<{ spent: { day: number; month: number }; capped_until: number }>;
}

const scene = await useRelayScene({ now: NOON });
afterEach(() => scene.clock.set(NOON));

/** Sends a request as an administrator, whose response names the channel. */
async function prepare(): Promise<Scene> {
  const body = [{ key: 'SessionAffinityEnabled', value: 'false' }];
  await scene.admin.api(settings).updateMany({ body });
  return {
    ...scene,
    async ask() {
      const answer = await scene.chat(MODEL);
      await answer.text();
      await scene.waitUntilSettled();
      const [last] = (await scene.records()).toReversed();
      return [answer.status, answer.status === 200 ? String(last?.channel_id) : undefined];
    },
    async channel(id) {
      const { data } = await scene.admin.api(channels).list({ query: { size: 100 } });
      const found = data.find((channel) => channel.id === id);
      if (found === undefined) throw new Error('There is no such channel');
      return found;
    },
  };
}

test('a channel at its daily cap is skipped until the day ends, even as the last resort', async () => {
  const scene = await prepare();
  const first = await scene.newChannel({ priority: 5, caps: { day: least, month: null } });
  expect(await scene.ask()).toEqual([200, String(first)]);
  expect((await scene.ask())[0]).not.toBe(200);
  const other = await scene.newChannel({ name: 'other' });
  expect(await scene.ask()).toEqual([200, String(other)]);
  const { spent, capped_until } = await scene.channel(first);
  expect(spent.day).toBeGreaterThan(0);
  expect(capped_until).toBe(getPeriodStart('day', nowSeconds(scene.clock)) + DAY);
  const [record] = (await scene.records()).toReversed();
  expect(record?.detail).toContain(`[${first},"capped",${capped_until}]`);
  scene.clock.advance(DAY);
  expect(await scene.ask()).toEqual([200, String(first)]);
});

test('if only caps block a request, its error and record name this, and the end of the first of them', async () => {
  const scene = await prepare();
  const first = await scene.newChannel({ caps: { day: least, month: null } });
  await scene.newChannel({ name: 'without vision', models: ['other'] });
  await scene.ask();
  const answer = await scene.chat(MODEL);
  const error = { code: 'channel_cap_reached', message: expect.stringContaining('2026-06-11T00:00:00') };
  expect([answer.status, await answer.json()]).toEqual([503, { error: expect.objectContaining(error) }]);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(DAY / 2 - 60);
  await scene.waitUntilSettled();
  const [record] = (await scene.records()).toReversed();
  expect(record).toMatchObject({ type: 'error', model: MODEL, quota: 0, content: error.message });
  const pinned = await scene.newKey({ unlimited_quota: true }, scene.admin);
  const body = await (await scene.chat(MODEL, {}, `${pinned}#${first}`)).json();
  expect(body).toMatchObject({ error: { code: 'channel_cap_reached' } });
  const unheard = await (await scene.chat('nobody-offers-it')).json();
  expect(unheard).toMatchObject({ error: { code: 'model_not_found' } });
});

test('repeated requests that caps block do not fill the log', async () => {
  const scene = await prepare();
  await scene.newChannel({ caps: { day: least, month: null } });
  await scene.ask();
  const refuse = async (times: number) => {
    for (let time = 0; time < times; time += 1) await (await scene.chat(MODEL)).text();
    await scene.waitUntilSettled();
    return (await scene.records()).filter(({ type }) => type === 'error').length;
  };
  expect(await refuse(15)).toBe(10);
  scene.clock.advance(60);
  expect(await refuse(1)).toBe(11);
});

test('a monthly cap lasts beyond the day', async () => {
  const scene = await prepare();
  const first = await scene.newChannel({ priority: 5, caps: { day: null, month: least } });
  const other = await scene.newChannel({ name: 'other' });
  await scene.ask();
  scene.clock.advance(DAY);
  expect(await scene.ask()).toEqual([200, String(other)]);
  scene.clock.advance(31 * DAY);
  expect(await scene.ask()).toEqual([200, String(first)]);
});

test('its history has the reached cap once a day', async () => {
  const scene = await prepare();
  const id = await scene.newChannel({ caps: { day: least, month: null } });
  await scene.ask();
  const events = () =>
    scene.ctx.db.writer.selectFrom('channel_event').select('event').where('channel_id', '=', id).execute();
  await expect.poll(events).toEqual([{ event: 'daily-cap-reached' }]);
  await scene.ask();
  scene.clock.advance(DAY);
  await scene.ask();
  await expect.poll(events).toHaveLength(2);
});

test('requests on their way count, so that a burst does not overrun the cap', async () => {
  const scene = await prepare();
  const body = [{ key: 'RetryTimes', value: '0' }];
  await scene.admin.api(settings).updateMany({ body });
  await scene.newChannel({ caps: { day: least, month: null } });
  const mayEnd = Promise.withResolvers<void>();
  scene.upstream.setScript(() => ({ endGate: mayEnd.promise }));
  let refused = 0;
  const pending = Array.from({ length: 8 }, async () => {
    const answer = await scene.chat(MODEL);
    await answer.text();
    // All but one are refused while that one waits.
    if (answer.status !== 200) refused += 1;
    if (refused === 7) mayEnd.resolve();
    return answer.status;
  });
  const answers = await Promise.all(pending);
  expect(answers.filter((status) => status === 200)).toHaveLength(1);
});

test('refused requests of an account without funds make a channel look capped once, not each time', async () => {
  const running = createRunningCosts({
    ledger: { getChannelSpend: () => 0 },
    openTaskCosts: { add: () => {}, get: () => 0 },
    clock: scene.clock,
  });
  const channel = { id: channelId.parse(1), caps: { day: least, month: null } };
  const looksCapped = async (held: boolean): Promise<boolean> => {
    const cost = { requestId: 'r', userId: 7, channel, points: least, hasUnknownCost: false };
    let during = 0;
    await running.setDuring(cost, async () => {
      during = running.cappedUntil(channel);
      return { held };
    });
    expect(running.cappedUntil(channel) > 0).toBe(held || during > 0);
    running.end('r');
    expect(running.cappedUntil(channel)).toBe(0);
    return during > 0;
  };
  expect(await looksCapped(false)).toBe(true);
  expect(await looksCapped(false)).toBe(false);
  expect(await looksCapped(true)).toBe(false);
  scene.clock.advance(60);
  expect(await looksCapped(true)).toBe(true);
});

test('releases the counted spending of a failed request', async () => {
  const scene = await prepare();
  const id = await scene.newChannel({ caps: { day: least, month: null } });
  scene.upstream.setScript(() => ({ status: 400 }));
  expect((await scene.ask())[0]).toBe(400);
  scene.upstream.setScript(undefined);
  expect(await scene.ask()).toEqual([200, String(id)]);
});

test('own cost counts where it is known, else the list price, whatever users pay', async () => {
  const scene = await prepare();
  await scene.ctx.db.writer.updateTable('user_group').set({ ratio_micros: 2_000_000 }).execute();
  await scene.ctx.changes.publish({ topic: 'user-groups' });
  const listed = await scene.newChannel({ priority: 5 });
  await scene.ask();
  const [charged] = await scene.records();
  const atList = (await scene.channel(listed)).spent.day;
  expect(Math.abs((charged?.quota ?? 0) - 2 * atList)).toBeLessThanOrEqual(1);
  const costed = await scene.newChannel({ priority: 9, cost: { ratio: 10, models: {} } });
  await scene.ask();
  const { cost } = (await scene.records())[1] ?? {};
  expect((await scene.channel(costed)).spent).toEqual({ day: cost, month: cost });
  expect(cost ?? 0).toBeGreaterThan(atList);
});

test('a restarted server knows the earlier spending', async () => {
  const scene = await prepare();
  const id = await scene.newChannel({});
  await scene.ask();
  await scene.ask();
  const again = await openLedger(scene.ctx.db, scene.clock, silentLog, scene.ctx.config.dataDir);
  const { spent } = await scene.channel(id);
  expect(spent.day).toBeGreaterThan(0);
  expect(again.getChannelSpend(id, 'day')).toBe(spent.day);
  expect(again.getChannelSpend(id, 'month')).toBe(spent.month);
  await again.close();
});
