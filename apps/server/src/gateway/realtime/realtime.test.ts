import { connect } from 'node:net';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { toPoints } from '@switchyard/contract/money';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import OpenAI from 'openai';
import { OpenAIRealtimeWS } from 'openai/realtime/ws';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AUDIO_CHUNK_BYTES,
  type RealtimeUpstream,
  startRealtimeUpstream,
} from '../../../../../tests/scripted-upstream/realtime.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import {
  closeRealtime,
  connectRealtime,
  expireReport,
  getErrorCode,
  type RealtimeOptions,
  type RealtimeTestClient,
} from '../../testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const POINT = 2 * RATE_OF_USD_PER_MILLION;
const RATES = rates.parse({
  input: POINT,
  cachedRead: POINT / 2,
  cachedAudioInput: 3 * POINT,
  audioInput: 4 * POINT,
  output: 2 * POINT,
  audioOutput: 8 * POINT,
});
/**
 * Charge for the usage that the scripted upstream reports: 59 tokens of text and 9 of audio, 60 and 4 cached ones; 30 of
 * text and 91 of audio in the output.
 */
const RESPONSE_POINTS = 59 + 60 / 2 + 4 * 3 + 9 * 4 + 30 * 2 + 91 * 8;

/** 500 tokens of text and 300 heard, 150 written and 600 spoken. */
const FIRST_HOLD = 500 + 300 * 4 + 150 * 2 + 600 * 8;

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ quota: 10_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url, key: 'sk-upstream-1' });
  await scene.admin.api(prices).create({ body: { model: 'live*', rates: RATES } });
  await scene.admin
    .api(prices)
    .create({ body: { model: 'scripted-transcriber', rates: rates.parse({ input: 3 * POINT, output: POINT }) } });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

const call = (model: string, options: RealtimeOptions = {}): RealtimeTestClient =>
  connectRealtime(scene, model, options);

async function newRecords(before: number) {
  await scene.waitUntilSettled();
  return (await scene.records()).slice(before);
}

describe('a session', () => {
  test('charges a session of the official client exactly, response by response', async () => {
    const [before, balance] = [(await scene.records()).length, await scene.balance()];
    const port = Number(new URL(scene.url).port);
    const openai = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1` });
    const client = new OpenAIRealtimeWS(
      // It only speaks TLS, which ends before the gateway.
      { model: 'live-1', options: { createConnection: () => connect(port, '127.0.0.1') } },
      openai,
    );
    const errors: unknown[] = [];
    client.on('error', (error) => errors.push(error));
    await new Promise<void>((resolve) => client.on('session.created', () => resolve()));
    for (let response = 0; response < 3; response += 1) {
      client.send({ type: 'response.create' });
      const done = await new Promise<{ response: { usage?: { total_tokens?: number } } }>((resolve) => {
        client.on('response.done', resolve);
      });
      expect(done.response.usage?.total_tokens).toBe(253);
    }
    client.close();
    const records = await newRecords(before);
    expect(errors).toEqual([]);
    expect(records).toHaveLength(3);
    for (const record of records)
      expect(record).toMatchObject({
        type: 'consume',
        model: 'live-1',
        quota: RESPONSE_POINTS,
        prompt_tokens: 132,
        cached_tokens: 64,
        completion_tokens: 121,
        usage_source: 'reported',
        is_stream: 1,
      });
    expect(new Set(records.map(({ request_id }) => request_id)).size).toBe(3);
    expect(balance - (await scene.balance())).toBe(3 * RESPONSE_POINTS);
  });

  test('continues without masked words, and ends at a refused one', async () => {
    const rules = scene.admin.api(contentSafety);
    const words = { kind: 'words', name: 'List' };
    await rules.create({ body: safetyRuleForm.parse({ ...words, action: 'mask', words: ['bomb'] }) });
    await rules.create({ body: safetyRuleForm.parse({ ...words, name: 'Other', action: 'refuse', words: ['worse'] }) });
    const caller = call('live-2');
    await caller.waitForEvent('session.created');
    const item = (text: string) => ({
      type: 'conversation.item.create',
      item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
    });
    caller.send({ type: 'session.update', session: { type: 'realtime', instructions: 'No bomb' } });
    caller.send(item('a bomb'));
    caller.send(item('something worse'));
    const refusal = await caller.waitForEvent('error');
    expect(refusal).toMatchObject({ error: { code: 'content_filter' } });
    const received = JSON.stringify(upstream.sessions.at(-1)?.receivedEvents);
    expect(received).toContain('No ***');
    expect(received).toContain('a ***');
    expect(received).not.toMatch(/bomb|worse/);
    for (const { id } of await rules.list()) await rules.remove({ params: { id } });
  });

  test('gets the upstream’s events as they are, and the upstream the client’s', async () => {
    const caller = call('live-2+garbage+tokens-2');
    await caller.waitForEvent('session.created');
    caller.send({ type: 'session.update', session: { type: 'realtime', future_field: [1] } });
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('rate_limits.updated');
    expect(caller.events.filter((event) => event['type'] === 'response.output_audio.delta')).toHaveLength(2);
    expect(caller.events.filter((event) => event['type'] === undefined)).toHaveLength(6);
    const [session] = upstream.sessions.slice(-1);
    expect(session?.receivedEvents[0]).toEqual({
      type: 'session.update',
      session: { type: 'realtime', future_field: [1] },
    });
    await closeRealtime(caller);
  });

  test('reaches the upstream with the channel’s credentials and nothing of the client', async () => {
    const caller = call('live-3', {
      headers: { 'x-api-key': scene.key, 'x-secret': 'mine', cookie: 'a=b', origin: 'https://x.test' },
    });
    await caller.waitForEvent('session.created');
    const [session] = upstream.sessions.slice(-1);
    expect(session?.path).toBe('/v1/realtime?model=live-3');
    expect(session?.headers.authorization).toBe('Bearer sk-upstream-1');
    expect(session?.headers['x-secret'] ?? session?.headers.cookie ?? session?.headers.origin).toBeUndefined();
    await closeRealtime(caller);
  });

  test('has paid for a response when its client hears that it is done', async () => {
    const caller = call('live-durable');
    await caller.waitForEvent('session.created');
    const before = (await scene.records()).length;
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('response.done');
    expect(await scene.records()).toHaveLength(before + 1);
    await closeRealtime(caller);
  });

  test('charges a transcription by the price of the model that transcribes', async () => {
    const before = (await scene.records()).length;
    const caller = call('live-transcribed');
    await caller.waitForEvent('session.created');
    caller.send({ type: 'input_audio_buffer.commit' });
    await caller.waitForEvent('conversation.item.input_audio_transcription.completed');
    await closeRealtime(caller);
    const [record] = await newRecords(before);
    expect(record).toMatchObject({ model: 'scripted-transcriber', quota: 13 * 3 + 9, prompt_tokens: 13 });
  });

  test('estimates 10 tokens per second heard and 20 per second spoken without reported usage', async () => {
    const before = (await scene.records()).length;
    const caller = call('live+no-usage+tokens-10');
    await caller.waitForEvent('session.created');
    const audio = Buffer.alloc(AUDIO_CHUNK_BYTES * 20).toString('base64');
    caller.send({ type: 'input_audio_buffer.append', audio });
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('response.done');
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('response.done');
    await closeRealtime(caller);
    const [first, second] = await newRecords(before);
    // Two seconds are heard, one is spoken, and its words are five tokens; the second response reads all of it again.
    expect(first).toMatchObject({ prompt_tokens: 20, completion_tokens: 20 + 5, usage_source: 'estimated' });
    expect(second).toMatchObject({ prompt_tokens: 20 + 20 + 5, completion_tokens: 25 });
  });

  test('charges the audio that the upstream reads when an event has it twice', async () => {
    const before = (await scene.records()).length;
    const caller = call('live+no-usage+tokens-10');
    await caller.waitForEvent('session.created');
    const audioOf = (chunks: number) => Buffer.alloc(AUDIO_CHUNK_BYTES * chunks).toString('base64');
    const append = { type: 'input_audio_buffer.append', audio: audioOf(1) };
    caller.socket.send(`{"audio":"${audioOf(20)}",${JSON.stringify(append).slice(1)}`);
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('response.done');
    expect(upstream.sessions.at(-1)?.receivedTexts[0]).toBe(`{"audio":"${audioOf(1)}","type":"${append.type}"}`);
    await closeRealtime(caller);
    const [record] = await newRecords(before);
    // A tenth of a second.
    expect(record).toMatchObject({ prompt_tokens: 1, usage_source: 'estimated' });
  });

  test('charges nothing for a session without a response and leaves no hold', async () => {
    const [before, balance] = [(await scene.records()).length, await scene.balance()];
    const caller = call('live-idle');
    await caller.waitForEvent('session.created');
    expect(scene.ctx.ledger.openHolds).toBe(1);
    await closeRealtime(caller);
    expect(await newRecords(before)).toEqual([]);
    expect(await scene.balance()).toBe(balance);
  });
});

describe('the balance of a session', () => {
  test('ends the session after the response that uses up the balance', async () => {
    const before = (await scene.records()).length;
    const key = await scene.newKey({ name: 'poor', remain_quota: toPoints(FIRST_HOLD + 8 * RESPONSE_POINTS + 1) });
    const caller = call('live-poor', { key });
    await caller.waitForEvent('session.created');
    for (let response = 0; response < 8; response += 1) {
      caller.send({ type: 'response.create' });
      await caller.waitForEvent('response.done');
    }
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
    expect(await caller.closed).toEqual({ code: 1008, reason: 'insufficient_token_quota' });
    expect(await newRecords(before)).toHaveLength(8);
    const { data } = await scene.user.api(apiKeys).list({ query: { page: 1, size: 100 } });
    const left = data.find(({ name }) => name === 'poor')?.remain_quota;
    expect(left).toBe(FIRST_HOLD + 1);
  });

  test('ends the session when the balance runs out during a response', async () => {
    const key = await scene.newKey({ remain_quota: toPoints(FIRST_HOLD) });
    // A minute is spoken: 1,200 tokens for 9,600 points. The response is canceled as soon as it costs more than is held.
    const caller = call('live+tokens-601+silent-after-600', { key });
    await caller.waitForEvent('session.created');
    const before = (await scene.records()).length;
    caller.send({ type: 'response.create' });
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
    await expireReport(scene, upstream);
    const [record] = await newRecords(before);
    expect(record?.usage_source).toBe('estimated');
    expect(record?.completion_tokens).toBeGreaterThan(FIRST_HOLD / 8);
    expect(record?.completion_tokens).toBeLessThanOrEqual(1_205);
  });

  test('holds the cost so far of a running response and records it in case the process dies', async () => {
    const caller = call('live+tokens-601+silent-after-600');
    await caller.waitForEvent('session.created');
    caller.send({ type: 'response.create' });
    const holds = () => scene.ctx.db.writer.selectFrom('hold').select(['amount', 'checkpoint']).execute();
    for (let piece = 0; piece < 600; piece += 1) await caller.waitForEvent('response.output_audio.delta');
    scene.clock.advance(1);
    await expect.poll(async () => (await holds())[0]?.amount).toBe(2 * (1_200 * 8 + 5 * 2));
    const [hold] = await holds();
    expect(JSON.parse(hold?.checkpoint ?? '')).toMatchObject({ charge: 1_200 * 8 + 5 * 2 });
    await closeRealtime(caller);
    await expireReport(scene, upstream);
    await scene.waitUntilSettled();
  });

  test('opens no session without sufficient balance', async () => {
    const before = upstream.sessions.length;
    const poor = await scene.newKey({ remain_quota: toPoints(10) });
    const { status, body } = await call('live-poorer', { key: poor }).rejection;
    expect([status, JSON.parse(body)]).toMatchObject([429, { error: { code: 'insufficient_quota' } }]);
    expect(upstream.sessions).toHaveLength(before);
  });
});

describe('an upstream', () => {
  test('reports a cut response to the client and charges the delivered content', async () => {
    const before = (await scene.records()).length;
    const caller = call('live+tokens-20+cut-after-10');
    await caller.waitForEvent('session.created');
    caller.send({ type: 'response.create' });
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('upstream_error');
    expect((await caller.closed).code).toBe(1011);
    const [record] = await newRecords(before);
    expect(record).toMatchObject({ completion_tokens: 20 + 5, usage_source: 'estimated' });
    expect(record?.detail).toContain('upstream-failed');
  });

  test('does not reveal the channel’s key in its events', async () => {
    const caller = call('live+error-in-stream+no-usage+tokens-0');
    await caller.waitForEvent('session.created');
    upstream.sessions.at(-1)?.send({ type: 'error', error: { message: 'no such key: sk-upstream-1' } });
    expect(JSON.stringify(await caller.waitForEvent('error'))).toContain('no such key: [key]');
    caller.send({ type: 'response.create' });
    expect(JSON.stringify(await caller.waitForEvent('response.done'))).toContain('failed for [key]');
    await closeRealtime(caller);
  });

  test('closes the client’s connection when the upstream closes the session', async () => {
    const caller = call('live-closing');
    await caller.waitForEvent('session.created');
    upstream.sessions.at(-1)?.socket.close(1000, 'bye');
    expect((await caller.closed).code).toBe(1000);
    await scene.waitUntilSettled();
  });
});

describe('a client', () => {
  test('ends the upstream session when the client disconnects and charges the sent content', async () => {
    const before = (await scene.records()).length;
    const caller = call('live+tokens-30+silent-after-10');
    await caller.waitForEvent('session.created');
    caller.send({ type: 'response.create' });
    for (let piece = 0; piece < 10; piece += 1) await caller.waitForEvent('response.output_audio.delta');
    caller.socket.terminate();
    await expireReport(scene, upstream);
    const [record] = await newRecords(before);
    expect(record).toMatchObject({ completion_tokens: 20 + 5, usage_source: 'estimated' });
    expect(record?.detail).toContain('client-left');
    await expect.poll(() => upstream.sessions.at(-1)?.closed).toBeDefined();
  });

  test('makes the upstream wait for a client that reads nothing instead of buffering', async () => {
    const caller = call('live+tokens-20000');
    await caller.waitForEvent('session.created');
    caller.socket.pause();
    caller.send({ type: 'response.create' });
    const session = upstream.sessions.at(-1);
    const sent = async (): Promise<number> => {
      await sleep(systemTimers, 50);
      return session?.piecesSent ?? 0;
    };
    let [last, now] = [-1, await sent()];
    while (now !== last) [last, now] = [now, await sent()];
    // 6.4 kB each; the kernel's buffers of two connections take some megabytes.
    expect(now).toBeGreaterThan(10);
    expect(now).toBeLessThan(5_000);
    caller.socket.resume();
    await caller.waitForEvent('response.output_audio.delta');
    await expect.poll(() => session?.piecesSent).toBeGreaterThan(now);
    caller.socket.terminate();
    await scene.waitUntilSettled();
  });

  test('refuses a message above 16 MiB with 1009 and accepts large ones below', async () => {
    const caller = call('live-large');
    await caller.waitForEvent('session.created');
    caller.send({ type: 'x', audio: 'a'.repeat(15 * 1024 * 1024) });
    await expect.poll(() => upstream.sessions.at(-1)?.receivedEvents.length).toBe(1);
    caller.send({ type: 'x', audio: 'a'.repeat(17 * 1024 * 1024) });
    expect((await caller.closed).code).toBe(1009);
    await scene.waitUntilSettled();
    expect(upstream.sessions.at(-1)?.receivedEvents).toHaveLength(1);
  });
});
