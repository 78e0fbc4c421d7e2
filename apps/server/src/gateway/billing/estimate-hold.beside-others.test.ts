/** Holds of speech and image edits whose usage the request doesn't determine, alone and beside others of the account. */

import { NANO_POINTS_PER_POINT as POINT } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

const IMAGES = 16;
/** Tokens that the vendor reports: 7.5 minutes of speech, and images read with high fidelity. */
const SPOKEN_TOKENS = 9_000;
const IMAGE_TOKENS = IMAGES * 6_000;
/** Output tokens of an image of low quality. */
const DRAWN_TOKENS = 272;

const SPEAKER = 'gpt-4o-mini-tts';
const PAINTER = 'gpt-image-1';
const FAITHFUL_PAINTER = 'gpt-image-2';
const CHARACTERS = 'tts-by-character';

const speech = (model: string, instructions = '') => ({
  path: '/v1/audio/speech',
  body: { model, voice: 'alloy', input: 'Hello.', stream_format: 'sse', instructions },
});
/** 4,000 characters. */
const slow = 'Pause for a long time between the words, and breathe slowly. '.repeat(65);
const edit = (model: string) => ({
  path: '/v1/images/edits',
  body: {
    model,
    prompt: 'a cat',
    quality: 'low',
    size: '1024x1024',
    images: Array.from({ length: IMAGES }, (_, nth) => ({ image_url: `https://pictures.test/${nth}.png` })),
  },
});

let scene: RelayScene;
let vendor: TestVendor;
let isReleased = Promise.withResolvers<void>();
beforeAll(async () => {
  vendor = await startTestVendor({}, async ({ target }) => {
    await isReleased.promise;
    if (target.includes('images')) {
      const details = { image_tokens: IMAGE_TOKENS, text_tokens: 0 };
      const usage = { input_tokens: IMAGE_TOKENS, output_tokens: DRAWN_TOKENS, input_tokens_details: details };
      return { json: { data: [{ b64_json: 'QUJD' }], usage } };
    }
    const usage = { input_tokens: 900, output_tokens: SPOKEN_TOKENS, total_tokens: 900 + SPOKEN_TOKENS };
    const events = [
      { type: 'speech.audio.delta', audio: Buffer.alloc(3_000).toString('base64') },
      { type: 'speech.audio.done', usage },
    ];
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return { headers: { 'content-type': 'text/event-stream' }, text };
  });
  scene = await startRelayScene();
  const models = [SPEAKER, PAINTER, FAITHFUL_PAINTER];
  await scene.newChannel({ base_url: vendor.url, models: [...models, CHARACTERS], key: 'k' });
  await removeShippedPrices(scene.admin, models);
  const rates = { input: POINT, output: POINT };
  for (const model of models) await scene.admin.api(prices).create({ body: savePrice.parse({ model, rates }) });
  const byCharacter = { input: 0, output: 0, character: POINT };
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: CHARACTERS, rates: byCharacter }) });
});
afterAll(async () => {
  isReleased.resolve();
  await scene.close();
  await vendor.close();
});
beforeEach(() => {
  isReleased = Promise.withResolvers<void>();
});

interface SentRequest {
  path: string;
  body: object;
}

/** Sends the requests one after the other, while all run, and returns their holds; 0 for a refused one. */
async function holdAll(quota: number, ...requests: readonly SentRequest[]) {
  const user = await scene.createUser('user', { quota });
  const key = await scene.newKey({ unlimited_quota: true }, user);
  const readHolds = async (): Promise<number[]> => {
    const rows = scene.ctx.db.writer.selectFrom('hold').select('amount').where('user_id', '=', user.id);
    return (await rows.execute()).map(({ amount }) => amount);
  };
  const holds: number[] = [];
  const running: Promise<number>[] = [];
  let held = 0;
  for (const { path, body } of requests) {
    let isOver = false;
    const answered = scene.post(path, body, { key }).then(async (response) => {
      await response.arrayBuffer();
      isOver = true;
      return response.status;
    });
    running.push(answered);
    await expect.poll(async () => isOver || (await readHolds()).length > holds.filter(Boolean).length).toBe(true);
    const sum = (await readHolds()).reduce((total, amount) => total + amount, 0);
    holds.push(sum - held);
    held = sum;
  }
  isReleased.resolve();
  const statuses = await Promise.all(running);
  await scene.waitUntilSettled();
  return { holds, statuses, left: await scene.ctx.ledger.readAvailable(user.id) };
}

describe.each([
  ['speech with instructions', speech(SPEAKER, slow), 1_100, SPOKEN_TOKENS + 900],
  ['an edit of images by address', edit(PAINTER), IMAGES * 323 + 300, IMAGE_TOKENS + DRAWN_TOKENS],
])('%s', (_what, request, usual, charge) => {
  test('holds the usual estimate alone', async () => {
    const { holds, statuses } = await holdAll(10_000_000, request);
    expect(holds[0]).toBeGreaterThan(0);
    expect(holds[0]).toBeLessThan(usual);
    expect(statuses).toEqual([200]);
  });

  test('holds beside another the most that a report may charge', async () => {
    const { holds, left } = await holdAll(10_000_000, request, request);
    expect(holds[1]).toBeGreaterThanOrEqual(charge);
    expect(left).toBe(10_000_000 - 2 * charge);
  });

  test('refuses a request beside another that the balance does not cover', async () => {
    const { statuses, left } = await holdAll(charge, request, request, request);
    expect(statuses).toEqual([200, 429, 429]);
    expect(left).toBe(0);
  });
});

test('holds images of a model that always reads them with high fidelity at its tokens', async () => {
  const { holds, left } = await holdAll(200_000, edit(FAITHFUL_PAINTER));
  expect(holds[0]).toBeGreaterThanOrEqual(IMAGE_TOKENS + DRAWN_TOKENS);
  expect(left).toBe(200_000 - IMAGE_TOKENS - DRAWN_TOKENS);
});

test('holds the usual estimate of speech priced by the character, also beside others', async () => {
  const { holds } = await holdAll(10_000_000, speech(SPEAKER), speech(CHARACTERS, slow));
  expect(holds[1]).toBe(500);
});
