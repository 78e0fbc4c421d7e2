import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
});
afterAll(() => scene.close());

async function stream(model: string) {
  const leaving = new AbortController();
  const body = { model, stream: true, messages: [{ role: 'user', content: 'x' }] };
  const response = await scene.post('/v1/chat/completions', body, { signal: leaving.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  return { reader, leave: () => leaving.abort() };
}

async function checkpoint(): Promise<{ charge: number; tokens: number } | undefined> {
  await scene.ctx.ledger.transaction(async () => {});
  const [row] = await scene.ctx.db.writer.selectFrom('hold').select('checkpoint').execute();
  if (row === undefined || row.checkpoint === null) return undefined;
  const { charge, record } = JSON.parse(row.checkpoint);
  return { charge, tokens: record.completion_tokens };
}

test('a stream that delivers is noted every five seconds with what it would cost', async () => {
  const { leave } = await stream('scripted+tokens-2000+drip-10ms');
  expect(await checkpoint()).toBeUndefined();
  scene.clock.advance(5);
  await expect.poll(checkpoint, { timeout: 2_000 }).toBeDefined();
  const first = await checkpoint();
  expect(first?.charge).toBeGreaterThan(0);
  scene.clock.advance(5);
  await expect
    .poll(async () => (await checkpoint())?.tokens ?? 0, { timeout: 2_000 })
    .toBeGreaterThan(first?.tokens ?? 0);
  leave();
  await scene.settled();
});

test('two thousand tokens are noted before the five seconds are over', async () => {
  const { reader, leave } = await stream('scripted+tokens-1000000');
  let bytes = 0;
  while (bytes < 10_000_000) bytes += (await reader?.read())?.value?.length ?? 10_000_000;
  await expect.poll(async () => (await checkpoint())?.tokens ?? 0, { timeout: 3_000 }).toBeGreaterThan(2_000);
  leave();
  await scene.settled();
});

test('a stream that has delivered nothing, or nothing new, is not noted', async () => {
  const asked = scene.chat('scripted+slow-first-byte-1500', { stream: true });
  scene.clock.advance(6);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(await checkpoint()).toBeUndefined();
  await (await asked).text();
  await scene.settled();
});
