import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { NANO_POINTS_PER_POINT } from '@switchyard/contract/catalog/rates';
import { settings } from '@switchyard/contract/operations/settings';
import { quote } from '@switchyard/contract/playground/quote';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ANTHROPIC, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const WORDS = 4_000;
const text = 'word '.repeat(WORDS);
const image = { type: 'image_url', image_url: { url: 'https://pictures.test/one.png', detail: 'high' } };
const CLAUDE = 'claude-opus-4-1';
const held = ['all', 'without-images', 'nothing'] as const;

let scene: RelayScene;
const ids = new Map<string, number>();

beforeAll(async () => {
  scene = await startRelayScene();
  const rates = { input: NANO_POINTS_PER_POINT, output: NANO_POINTS_PER_POINT };
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: 'scripted*', rates }) });
  await scene.admin
    .api(prices)
    .create({ body: savePrice.parse({ model: 'scripted-free*', rates: { input: 0, output: 0 } }) });
  await scene.newChannel({ type: ANTHROPIC, models: [CLAUDE], held_prompt: 'nothing' });
  await scene.admin.api(prices).create({ body: savePrice.parse({ model: CLAUDE, rates }) });
  for (const held_prompt of held) {
    const models = [`scripted+${held_prompt}*`, `scripted-free+${held_prompt}`];
    ids.set(held_prompt, await scene.newChannel({ models, held_prompt }));
  }
});
afterAll(() => scene.close());

const heldFor = async (model: string, content: unknown, more: object = {}): Promise<number> => {
  const request = { model, max_tokens: 10, messages: [{ role: 'user', content }], ...more };
  const answer = await scene.user.api(quote).ask({ body: { request } });
  return answer.offer?.hold ?? Number.NaN;
};

describe('the hold for a prompt', () => {
  test('holds all of a prompt, all but its images, or none of it, as the channel is configured', async () => {
    const [all, words, nothing] = await Promise.all(
      held.map((mode) => heldFor(`scripted+${mode}`, [{ type: 'text', text }, image])),
    );
    const without = await heldFor('scripted+all', [{ type: 'text', text }]);
    expect(words).toBeGreaterThanOrEqual(without);
    expect(all).toBeGreaterThan((words ?? 0) + 80);
    expect(nothing).toBe(500);
  });

  test('holds at least the minimum, and at least one point unless the request is free', async () => {
    const setMinimum = (value: string) =>
      scene.admin.api(settings).update({ body: { key: 'PreConsumedQuota', value } });
    await setMinimum('0');
    const nothing = await heldFor('scripted+nothing', text, { max_tokens: 1 });
    await setMinimum('500');
    expect(nothing).toBeGreaterThanOrEqual(1);
    expect(await heldFor('scripted+nothing', 'hi', { max_tokens: 2_000 })).toBe(2_000);
    expect(await heldFor('scripted-free+nothing', text)).toBe(0);
  });
});

test.each([
  [{ max_tokens: 16, reasoning_effort: 'high' }, 24_592],
  [{ max_tokens: 16 }, 16],
  [{ max_tokens: undefined }, 1_000],
])('holds the output cap that the gateway sends to Claude: %j', async (more, cap) => {
  const request = { model: CLAUDE, messages: [{ role: 'user', content: 'hi' }], ...more };
  const { offer, output_tokens } = await scene.user.api(quote).ask({ body: { request } });
  expect([output_tokens, offer?.hold]).toEqual([cap, Math.max(cap, 500)]);
});

test.each(held)('the charge without reported usage is of the whole prompt, with %s held', async (mode) => {
  const response = await scene.chat(`scripted+${mode}+no-usage`, {
    messages: [{ role: 'user', content: text }],
    max_tokens: 10,
  });
  expect(response.status).toBe(200);
  await response.text();
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  expect(record?.channel_id).toBe(ids.get(mode));
  expect(record?.quota).toBeGreaterThan(WORDS * 0.8);
});

test('the next channel’s own estimate is held before it is asked', async () => {
  const model = 'scripted+both+tokens-30+drip-20ms';
  await scene.newChannel({ models: [model], priority: 2, held_prompt: 'nothing' });
  await scene.newChannel({ models: [model], priority: 1, held_prompt: 'all' });
  let calls = 0;
  scene.upstream.setScript(() => {
    calls += 1;
    return calls === 1 ? { status: 500 } : undefined;
  });
  const answering = scene.chat(model, { stream: true, messages: [{ role: 'user', content: text }] });
  const most = async () => {
    const rows = await scene.ctx.db.writer.selectFrom('hold').select('amount').execute();
    return Math.max(0, ...rows.map(({ amount }) => amount));
  };
  await expect.poll(most, { timeout: 5_000 }).toBeGreaterThan(WORDS * 0.8);
  expect(await (await answering).text()).toContain('[DONE]');
  scene.upstream.setScript(undefined);
  await scene.waitUntilSettled();
  expect(calls).toBe(2);
});
