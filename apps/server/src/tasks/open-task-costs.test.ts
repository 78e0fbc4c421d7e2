/** Open tasks and the spending caps of channels. */
import { setImmediate } from 'node:timers/promises';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { toPoints } from '@switchyard/contract/money';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startVideoVendor, type VideoVendor } from '../../../../tests/scripted-tasks/scripted-videos.ts';
import { advanceUntil } from '../testing/advance-until.ts';
import { NOON, type RelayScene, startRelayScene } from '../testing/relay-scene.ts';
import { startOpenTaskCosts } from './open-task-costs.ts';

const OPENAI = 1;
const NANO = 1_000_000_000;
const VIDEO_POINTS = 4;

let scene: RelayScene;
let vendor: VideoVendor;

beforeAll(async () => {
  vendor = await startVideoVendor();
  scene = await startRelayScene({ now: NOON });
  const second = rates.parse({ input: 0, output: 0, second: NANO });
  await scene.admin.api(prices).create({ body: { model: 'film*', rates: second } });
});
afterAll(async () => {
  await scene.close();
  await vendor.close();
});

/** Creates a channel with a daily cap. @returns its id, and a function that submits a video to it */
async function addChannel(model: string, videosPerDay: number) {
  vendor.videos.clear();
  const caps = { day: toPoints(videosPerDay * VIDEO_POINTS), month: null };
  const id = await scene.newChannel({ type: OPENAI, models: [model], base_url: vendor.url, caps });
  const submit = async (): Promise<number> => {
    const answer = await scene.post('/v1/videos', { model, prompt: 'a cat', seconds: String(VIDEO_POINTS) });
    await answer.text();
    return answer.status;
  };
  return { id, submit };
}

test('open tasks count against the cap of their channel until they fail', async () => {
  const { submit } = await addChannel('film-that-fails', 2);
  expect([await submit(), await submit(), await submit()]).toEqual([200, 200, 503]);
  // The sum is now read from the rows.
  scene.clock.advance(10);
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  expect(await submit()).toBe(503);
  for (const video of vendor.videos.values()) video.status = 'failed';
  await advanceUntil(scene.clock, async () => expect(await submit()).toBe(200));
});

test('a task that succeeds counts once', async () => {
  const { id, submit } = await addChannel('film-that-succeeds', 3);
  expect([await submit(), await submit()]).toEqual([200, 200]);
  for (const video of vendor.videos.values()) video.status = 'completed';
  await advanceUntil(scene.clock, () => expect(scene.ctx.ledger.getChannelSpend(id, 'day')).toBe(2 * VIDEO_POINTS));
  await advanceUntil(scene.clock, async () => expect(await submit()).toBe(200));
  expect(await submit()).toBe(503);
});

test('a server that has just started knows the costs of open tasks', async () => {
  const { id, submit } = await addChannel('film-that-lasts', 100);
  expect([await submit(), await submit()]).toEqual([200, 200]);
  const costs = startOpenTaskCosts(scene.ctx, () => true);
  await expect.poll(() => costs.get(id)).toBe(2 * VIDEO_POINTS);
  await costs.close();
});
