/**
 * Videos, images and songs from the submission to the artifact, as their owner sees them, each at its scripted vendor.
 */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeShippedPrices } from '../../apps/server/src/testing/relay-scene.ts';
import { apiKeys } from '../../packages/contract/src/accounts/api-keys.ts';
import { rates } from '../../packages/contract/src/catalog/price-rates.ts';
import { prices } from '../../packages/contract/src/catalog/prices.ts';
import { channels } from '../../packages/contract/src/channels/channels.ts';
import { type KlingVendor, startKlingVendor } from '../scripted-tasks/scripted-kling.ts';
import { type MidjourneyVendor, startMidjourneyVendor } from '../scripted-tasks/scripted-midjourney.ts';
import { type SunoVendor, startSunoVendor } from '../scripted-tasks/scripted-suno.ts';
import { startVideoVendor, type VideoVendor } from '../scripted-tasks/scripted-videos.ts';
import { findHorizontalOverflow, type Panel, type PanelPage, startPanel } from './open-panel.ts';
import { recordVideo, SAMPLE_PNG, SAMPLE_WAV } from './sample-media.ts';

const NANO = 1_000_000_000;
/** Points for each second of a video, each image and each song. */
const SECOND = 5_000;
const DRAWING = 20_000;
const SONG = 30_000;
const types = { openai: 1, midjourney: 34, suno: 41, kling: 53 };

let panel: Panel;
let key: string;
let film: Buffer;
let videos: VideoVendor;
let kling: KlingVendor;
let drawings: MidjourneyVendor;
let songs: SunoVendor;

beforeAll(async () => {
  [panel, videos, kling, drawings, songs] = await Promise.all([
    startPanel(),
    startVideoVendor(),
    startKlingVendor(),
    startMidjourneyVendor(),
    startSunoVendor(),
  ]);
  film = await recordVideo(panel.browser);
  const { root } = panel;
  const channel = (name: string, type: number, models: string[], base_url: string, secret: string) =>
    root.api(channels).create({ body: { name, type, models, base_url, key: secret } });
  await channel('Films', types.openai, ['sora*'], videos.url, 'sk-upstream');
  await channel('Kling', types.kling, ['kling*'], kling.url, 'kling-key');
  await channel('Drawings', types.midjourney, ['mj_*'], drawings.url, 'mj-secret');
  await channel('Songs', types.suno, ['chirp*', 'suno_lyrics'], songs.url, 'suno-key');
  await removeShippedPrices(root, ['sora', 'kling', 'mj_', 'chirp', 'suno']);
  const free = { input: 0, output: 0 };
  for (const model of ['sora*', 'kling*'])
    await root.api(prices).create({ body: { model, rates: rates.parse({ ...free, second: SECOND * NANO }) } });
  for (const [model, points] of [['mj_*', DRAWING] as const, ['chirp*', SONG] as const])
    await root
      .api(prices)
      .create({ body: { model, type: 'times', rates: rates.parse({ ...free, input: points * NANO }) } });
  ({ key } = await root.api(apiKeys).create({ body: { name: 'studio', unlimited_quota: true } }));
});
afterAll(async () => {
  await panel?.close();
  await Promise.all([videos, kling, drawings, songs].map((vendor) => vendor?.close()));
});

async function order(path: string, body: object): Promise<void> {
  const answer = await fetch(panel.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status, await answer.clone().text()).toBe(200);
}

const balance = async (): Promise<number> => {
  const { balance } = await panel.ctx.db.writer
    .selectFrom('user_account')
    .select('balance')
    .where('user_id', '=', panel.root.id)
    .executeTakeFirstOrThrow();
  return balance;
};

/** Opens the newest task, and waits until it has the vendor's current state. */
async function follow(page: PanelPage, prompt: string, make: () => void): Promise<Locator> {
  await page.getByText(prompt).first().click();
  const drawer = page.getByRole('dialog', { name: 'Task' });
  await drawer.getByText('Queued').waitFor();
  make();
  await drawer.getByText('Queued').waitFor({ state: 'detached', timeout: 60_000 });
  return drawer;
}

async function readReceipt(page: PanelPage, drawer: Locator, points: number): Promise<void> {
  await drawer.getByRole('link', { name: 'View receipt in the log' }).click();
  await page.waitForURL('**/panel/log?request_id=*');
  const money = `$${(points / 500_000).toFixed(2)}`;
  const row = page.getByRole('row').filter({ hasText: money });
  await row.click();
  const receipt = page.getByRole('dialog').filter({ hasText: 'Cost breakdown' });
  await receipt.getByText(`${points.toLocaleString('en')} points = ${money}`).waitFor();
  expect(await balance()).toBe(started - points);
  started = await balance();
}

/** Points before the submission. */
let started = 0;

describe.each([
  {
    what: 'a film of OpenAI’s clients',
    path: '/v1/videos',
    body: { model: 'sora-2', prompt: 'a heron lands', seconds: '8' },
    prompt: 'a heron lands',
    points: 8 * SECOND,
    make() {
      const video = [...videos.videos.values()].at(-1) ?? expect.fail('nothing was ordered');
      videos.overrideReply(`GET /v1/videos/${video.id}/content`, () => ({
        headers: { 'content-type': 'video/webm' },
        text: film,
      }));
      Object.assign(video, { status: 'completed', progress: 100 });
    },
    shown: 'video',
  },
  {
    what: 'a film of Kling’s clients',
    path: '/kling/v1/videos/text2video',
    body: { model_name: 'kling-v1', prompt: 'a crab digs', duration: '5' },
    prompt: 'a crab digs',
    points: 5 * SECOND,
    make() {
      kling.overrideReply('GET /film.mp4', () => ({ headers: { 'content-type': 'video/webm' }, text: film }));
      kling.completeTask('5.1');
    },
    shown: 'video',
  },
  {
    what: 'a song',
    path: '/suno/submit/music',
    body: { mv: 'chirp-v3-5', gpt_description_prompt: 'a shanty' },
    prompt: 'a shanty',
    points: SONG,
    make() {
      for (const nth of [1, 2])
        songs.overrideReply(`GET /${nth}.mp3`, () => ({ headers: { 'content-type': 'audio/wav' }, text: SAMPLE_WAV }));
      songs.completeMusic(1);
    },
    shown: 'audio',
  },
])('$what', ({ path, body, prompt, points, shown, ...vendor }) => {
  test('is followed until it can be played, and its receipt is in the log', async () => {
    started = await balance();
    const page = await panel.open('/panel/task');
    await order(path, body);
    const drawer = await follow(page, prompt, () => vendor.make());
    await drawer.getByText('Succeeded', { exact: true }).waitFor();
    const player = drawer.locator(shown).first();
    await player.evaluate((media: HTMLMediaElement) => media.play());
    // It was available and could be decoded.
    await expect.poll(() => player.evaluate((media: HTMLMediaElement) => media.currentTime)).toBeGreaterThan(0);
    expect(await player.evaluate((media: HTMLMediaElement) => media.error)).toBeNull();
    expect(await findHorizontalOverflow(page)).toEqual([]);
    await readReceipt(page, drawer, points);
    expect(page.complaints.list).toEqual([]);
    await page.context().close();
  });
});

test('an image is in the gallery with its thumbnail, and its receipt is in the log', async () => {
  started = await balance();
  drawings.overrideReply('GET /picture.png', () => ({ headers: { 'content-type': 'image/png' }, text: SAMPLE_PNG }));
  const page = await panel.open('/panel/midjourney');
  await page.getByText('No images yet').waitFor();
  await order('/mj/submit/imagine', { prompt: 'a lighthouse' });
  await page.reload();
  const drawer = await follow(page, 'a lighthouse', () => drawings.completeTask());
  await drawer.getByText('in English', { exact: true }).waitFor();
  const picture = drawer.getByRole('img', { name: 'Result: a lighthouse' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  await readReceipt(page, drawer, DRAWING);
  await page.goto(`${panel.url}/panel/midjourney`);
  const card = page.getByRole('button', { name: /a lighthouse/ }).locator('img');
  await expect.poll(() => card.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('plays a stored video after its vendor has deleted it', async () => {
  started = await balance();
  const settings = await panel.open('/panel/setting');
  await settings.getByRole('combobox', { name: 'Result delivery' }).click();
  await settings.getByRole('option', { name: 'Stored in the data directory' }).click();
  await settings.getByRole('button', { name: 'Save' }).click();
  await settings.getByText('1 setting saved').waitFor();
  await settings.context().close();
  kling.tasks.clear();
  const page = await panel.open('/panel/task');
  await order('/kling/v1/videos/text2video', { model_name: 'kling-v1', prompt: 'a wave' });
  kling.overrideReply('GET /film.mp4', () => ({ headers: { 'content-type': 'video/webm' }, text: film }));
  const drawer = await follow(page, 'a wave', () => kling.completeTask('5.1'));
  await drawer.getByText('Succeeded', { exact: true }).waitFor();
  const stored = panel.ctx.db.writer.selectFrom('stored_work').select('state');
  await expect.poll(() => stored.execute()).toEqual([{ state: 'kept' }]);
  kling.overrideReply('GET /film.mp4', () => ({ status: 403, text: 'expired' }));
  await page.reload();
  const player = page.getByRole('dialog', { name: 'Task' }).locator('video');
  await player.evaluate((media: HTMLMediaElement) => void media.play());
  await expect.poll(() => player.evaluate((media: HTMLMediaElement) => media.currentTime)).toBeGreaterThan(0);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});

test('lyrics can be read', async () => {
  const page = await panel.open('/panel/task');
  await panel.root.api(prices).create({ body: { model: 'suno_lyrics', rates: rates.parse({ input: 0, output: 0 }) } });
  await order('/suno/submit/lyrics', { prompt: 'of the sea' });
  const drawer = await follow(page, 'of the sea', () => songs.completeLyrics('Oh the wind and the rain'));
  await drawer.getByText('Oh the wind and the rain').waitFor();
  await page.context().close();
});

test('a failed task shows its reason on a phone, too, and its hold is released', async () => {
  started = await balance();
  const page = await panel.open('/panel/task', { width: 390 });
  await order('/v1/videos', { model: 'sora-2', prompt: 'a storm breaks', seconds: '4' });
  await page.reload();
  const available = await panel.ctx.ledger.readAvailable(panel.root.id);
  expect(available).toBe(started - 4 * SECOND);
  const drawer = await follow(page, 'a storm breaks', () => {
    const video = [...videos.videos.values()].at(-1) ?? expect.fail('nothing was ordered');
    Object.assign(video, { status: 'failed', error: { code: 'blocked', message: 'It was blocked.' } });
  });
  await drawer.getByText('It was blocked.').waitFor();
  await drawer.getByText('$0', { exact: true }).waitFor();
  expect(await findHorizontalOverflow(page)).toEqual([]);
  expect(await balance()).toBe(started);
  expect(await panel.ctx.ledger.readAvailable(panel.root.id)).toBe(started);
  expect(page.complaints.list).toEqual([]);
  await page.context().close();
});
