/** An upstream with an endless error: the request is retried on the next channel, and does not count as abandoned. */
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor, type TestVendor } from '../../testing/simulated-vendor.ts';

const VERTEX = 42;
const EMBEDDING_MODEL = 'gemini-embedding-2';
const LIMIT = '{"error":{"message":"slow down"}}';

let scene: RelayScene;
let url: string;
let good: TestVendor;
let requestCount = 0;
let left = 0;
let goOn: (response: ServerResponse) => void;

const endless = createServer((request, response) => {
  request.resume().on('end', () => {
    requestCount += 1;
    response.on('close', () => {
      left += 1;
    });
    response.writeHead(429, { 'content-type': 'application/json' }).write(LIMIT);
    goOn(response);
  });
});

/** Sends white space, which is part of the error's JSON, until the reader stops. */
function flood(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed) if (!response.write(' '.repeat(1_000))) return void response.once('drain', write);
  };
  write();
}

beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(endless)}`;
  good = await startTestVendor({}, () => ({
    json: { embedding: { values: [1] }, usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 } },
  }));
  scene = await startRelayScene();
});
afterAll(async () => {
  await scene.close();
  await good.close();
  endless.closeAllConnections();
  endless.close();
});
beforeEach(async () => {
  await scene.reset();
  [requestCount, left] = [0, 0];
  goOn = () => {};
});

describe('an error without end', () => {
  const chat = () => scene.chat('scripted');
  const embed = () => scene.post('/v1/embeddings', { model: EMBEDDING_MODEL, input: ['a', 'b'] });

  test.each([
    ['of a call that goes silent', chat, () => {}, 2],
    ['of several calls that go silent', embed, () => {}, 2],
    ['of a call that goes on', chat, flood, 0],
    ['of several calls that go on', embed, flood, 0],
  ] as const)('%s lets the next channel answer', async (_what, call, next, seconds) => {
    goOn = next;
    await scene.newChannel({ base_url: url, priority: 10 });
    await scene.newChannel({ priority: 1 });
    const vertex = { type: VERTEX, models: [EMBEDDING_MODEL], key: 'AIza-key' };
    await scene.newChannel({ ...vertex, base_url: url, priority: 10 });
    await scene.newChannel({ ...vertex, base_url: good.url, priority: 1 });
    const startedAt = scene.clock.elapsed();
    const response = await (seconds === 0 ? call() : advanceWhile(scene.clock, 0.1, call()));
    expect(response.status).toBe(200);
    expect(requestCount).toBeGreaterThan(0);
    const passed = scene.clock.elapsed() - startedAt;
    expect(passed).toBeGreaterThanOrEqual(seconds * 1_000);
    expect(passed).toBeLessThan(50_000);
    await expect.poll(() => left).toBe(requestCount);
  });

  test('reaches the client with what came of it', async () => {
    await scene.newChannel({ base_url: url });
    const response = await advanceWhile(scene.clock, 0.1, scene.chat('scripted'));
    expect(response.status).toBe(429);
    expect(await response.text()).toContain('upstream_saturated');
  });
});

test('an account is not refused when its clients leave after the head of an error', async () => {
  await scene.newChannel({ base_url: url, models: ['endless'] });
  await scene.newChannel({});
  const body = { model: 'endless', messages: [{ role: 'user', content: 'x' }] };
  for (let nth = 1; nth <= 31; nth += 1) {
    const leaving = new AbortController();
    const call = scene.post('/v1/chat/completions', body, { signal: leaving.signal }).catch(() => undefined);
    await expect.poll(() => requestCount).toBe(nth);
    // The head arrives before the next request of this test is answered.
    await scene.chat('scripted');
    leaving.abort();
    await call;
  }
  await scene.waitUntilSettled();
  expect((await scene.chat('scripted')).status).toBe(200);
});
