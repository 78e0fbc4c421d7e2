/** End of a response in the client's dialect and framing: content, errors, and late errors. */
import type { ServerResponse } from 'node:http';
import { apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { formatChatChunk, type StreamingUpstream, startStreamingUpstream } from '../../testing/streaming-upstream.ts';

const GEMINI = 25;
const contents = [{ role: 'user', parts: [{ text: 'Say something.' }] }];
const streamPath = (model: string): string => `/v1beta/models/${model}:streamGenerateContent`;

let scene: RelayScene;
const upstreams: StreamingUpstream[] = [];

beforeAll(async () => {
  scene = await startRelayScene();
  await scene.newChannel({});
  const input = 2 * RATE_OF_USD_PER_MILLION;
  const output = 10 * RATE_OF_USD_PER_MILLION;
  await scene.admin.api(prices).create({ body: { model: 'g*', rates: rates.parse({ input, output }) } });
});
afterAll(async () => {
  await scene.close();
  for (const upstream of upstreams) await upstream.close();
});

async function newChannel(
  settings: { type?: number; models: string[] },
  write: (response: ServerResponse) => Promise<void> | void,
): Promise<void> {
  const upstream = await startStreamingUpstream(write);
  upstreams.push(upstream);
  await scene.newChannel({ base_url: upstream.url, ...settings });
}

const chunk = (text: string, more: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, ...more }], usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 } })}\r\n\r\n`;

describe('a client that speaks Gemini', () => {
  test('gets a whole answer of a chat-only channel, charged as reported', async () => {
    const response = await scene.post('/gemini/v1beta/models/scripted:generateContent', { contents });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      candidates: [{ content: { parts: [{ text: expect.any(String) }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: expect.any(Number) },
    });
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'reported' });
  });

  test('gets a stream as events, or as an array where it asked for none', async () => {
    const events = await scene.post(`${streamPath('scripted')}?alt=sse`, { contents });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    expect(await events.text()).toMatch(/^data: \{.*"finishReason":"STOP".*\}\r\n\r\n$/s);
    const array = await scene.post(streamPath('scripted'), { contents });
    expect(array.headers.get('content-type')).toContain('application/json');
    const elements = (await array.json()) as unknown[];
    expect(elements.at(-1)).toMatchObject({ candidates: [{ finishReason: 'STOP' }] });
  });

  test('gets Google’s own stream untouched, element by element, and is charged as reported', async () => {
    const pieces = [chunk('a'), chunk('b', { finishReason: 'STOP', index: 0 })];
    await newChannel({ type: GEMINI, models: ['google-whole'] }, (response) => {
      response.end(pieces.join(''));
    });
    const before = await scene.balance();
    const events = await scene.post(`${streamPath('google-whole')}?alt=sse`, { contents });
    expect(await events.text()).toBe(pieces.join(''));
    await scene.waitUntilSettled();
    expect(before - (await scene.balance())).toBe(5 + 3 * 5);
    const array = await scene.post(streamPath('google-whole'), { contents });
    expect(await array.text()).toBe(`[${pieces.map((piece) => piece.slice('data: '.length).trim()).join('\n,')}\n]`);
  });

  test('may show its key in a header or in the address, and gets Google’s error without one', async () => {
    const body = JSON.stringify({ contents });
    const send = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${scene.url}/v1beta/models/scripted:generateContent${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    expect((await send('', { 'x-goog-api-key': scene.key })).status).toBe(200);
    expect((await send(`?key=${scene.key}`)).status).toBe(200);
    const refused = await send('');
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: 401, status: 'UNAUTHENTICATED' } });
    // Elsewhere an address is no place for a key.
    const elsewhere = await fetch(`${scene.url}/v1/chat/completions?key=${scene.key}`, { method: 'POST' });
    expect(elsewhere.status).toBe(401);
  });

  test.each([
    ['/v1beta/models/scripted:predict', 404, 'NOT_FOUND', 'predict'],
    ['/v1beta/models/nobodys:generateContent', 404, 'NOT_FOUND', 'nobodys'],
    ['/gemini/nothing', 404, 'NOT_FOUND', 'Invalid URL'],
  ])('reports a missing %s in Google’s error format', async (path, status, word, words) => {
    const response = await scene.post(path, { contents });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { code: status, status: word, message: expect.stringContaining(words) },
    });
  });

  test('reports an invalid field in Google’s format', async () => {
    const response = await scene.post('/v1beta/models/scripted:generateContent', { contents: 'hi' });
    expect(response.status).toBe(400);
    const details = [expect.any(Object), { fieldViolations: [{ field: 'contents' }] }];
    expect(await response.json()).toMatchObject({ error: { status: 'INVALID_ARGUMENT', details } });
  });
});

describe('an error after the head of an array', () => {
  test('appends the error as the last element of the array', async () => {
    await newChannel({ models: ['gone'] }, async (response) => {
      response.write(formatChatChunk({ content: 'Hello' }));
      await sleep(systemTimers, 50);
      response.destroy();
    });
    const response = await scene.post(streamPath('gone'), { contents });
    expect(await response.json()).toMatchObject([
      { candidates: [{ content: { parts: [{ text: 'Hello' }] } }] },
      { error: { code: 502, status: 'UNAVAILABLE' } },
    ]);
  });

  test('sends the error as the first element when only keep-alive white space was sent', async () => {
    const connected = Promise.withResolvers<() => void>();
    await newChannel({ models: ['silent'] }, (response) => {
      response.write(': nothing yet\n\n');
      connected.resolve(() => response.destroy());
    });
    const setting = apiKeySetting.parse({ heartbeat: { enabled: true, timeout_seconds: 30 } });
    const key = await scene.newKey({ unlimited_quota: true, setting });
    const pending = scene.post(streamPath('silent'), { contents }, { key });
    // Otherwise the connection would time out.
    const breakOff = await connected.promise;
    scene.clock.advance(31);
    const response = await pending;
    expect(response.headers.get('content-type')).toContain('application/json');
    breakOff();
    const text = await response.text();
    expect(text).toMatch(/^\n+\[\{/);
    expect(JSON.parse(text)).toMatchObject([{ error: { code: 502 } }]);
  });
});
