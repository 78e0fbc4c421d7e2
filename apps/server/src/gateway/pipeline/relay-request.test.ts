import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { NANO_POINTS_PER_POINT, RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/rates';
import { settings } from '@switchyard/contract/operations/settings';
import { countTokens } from '@switchyard/relay/count-tokens';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { generateTokens } from '../../../../../tests/scripted-upstream/answer.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { ANTHROPIC, NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

/** 2 USD and 10 USD for a million tokens: 1 point and 5 points for a token. */
const RATES = rates.parse({ input: 2 * RATE_OF_USD_PER_MILLION, output: 10 * RATE_OF_USD_PER_MILLION });

let scene: RelayScene;

beforeAll(async () => {
  // The count of tokens is waited for, however busy the machine is.
  scene = await startRelayScene({ now: NOON });
  await scene.newChannel({});
  await scene.newChannel({ models: ['gpt-4o*'] });
  await scene.newChannel({ type: ANTHROPIC, models: ['claude*'] });
  await scene.admin.api(prices).create({ body: { model: 's*', rates: RATES } });
});
afterAll(() => scene.close());
beforeEach(() => {
  scene.upstream.requests.length = 0;
  scene.upstream.setScript(undefined);
});

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

describe('a non-streaming request', () => {
  test('returns the upstream’s response and charges the usage that the upstream reported', async () => {
    const before = await scene.balance();
    const response = await scene.chat('scripted');
    const answer = (await response.json()) as { usage: { prompt_tokens: number; completion_tokens: number } };
    const { prompt_tokens, completion_tokens } = answer.usage;
    const record = await lastRecord();
    expect(response.status).toBe(200);
    expect(record).toMatchObject({ type: 'consume', prompt_tokens, completion_tokens, usage_source: 'reported' });
    expect(record.quota).toBe(prompt_tokens + 5 * completion_tokens);
    expect(before - (await scene.balance())).toBe(record.quota);
    expect(response.headers.get('x-switchyard-points')).toBe(String(record.quota));
    expect(response.headers.get('x-request-id')).toBe(record.request_id);
  });

  test('never shows the upstream the client’s key, nor the client the upstream’s', async () => {
    const response = await scene.chat('scripted');
    expect(await response.text()).not.toContain('sk-upstream');
    const [served] = scene.upstream.requests;
    expect(served?.headers.authorization).toBe('Bearer sk-upstream');
    expect(JSON.stringify(served)).not.toContain(scene.key);
  });

  test('serves Anthropic’s dialect from an OpenAI channel in Anthropic’s format', async () => {
    const response = await scene.post(
      '/v1/messages',
      { model: 'scripted', max_tokens: 50, messages: [{ role: 'user', content: 'Hello' }] },
      { headers: { 'anthropic-version': '2023-06-01' } },
    );
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant', content: [{ type: 'text' }] });
    expect(scene.upstream.requests[0]?.path).toBe('/v1/chat/completions');
  });

  test('serves OpenAI’s dialect from an Anthropic channel', async () => {
    const response = await scene.chat('claude-scripted');
    expect(await response.json()).toMatchObject({ object: 'chat.completion' });
    expect(scene.upstream.requests[0]?.path).toBe('/v1/messages');
  });
});

describe('a stream', () => {
  test('arrives whole, without the usage chunk that the client did not ask for, and is charged by it', async () => {
    const response = await scene.chat('scripted', { stream: true });
    const text = await response.text();
    const record = await lastRecord();
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(text).not.toContain('"usage":{');
    expect(record).toMatchObject({ is_stream: 1, usage_source: 'reported', type: 'consume' });
    expect(record.quota).toBe(record.prompt_tokens + 5 * record.completion_tokens);
  });

  test('ends a cut stream with an error event, never with [DONE], and charges the delivered content', async () => {
    const response = await scene.chat('scripted+tokens-40+cut-after-10', { stream: true });
    const text = await response.text();
    const record = await lastRecord();
    expect(text).toContain('"error"');
    expect(text).not.toContain('[DONE]');
    expect(record).toMatchObject({ type: 'consume', usage_source: 'estimated' });
    expect(record.quota).toBeGreaterThan(0);
    expect(record.completion_tokens).toBeLessThan(40);
  });

  test('estimates a stream without reported usage and records that', async () => {
    await (await scene.chat('scripted+no-usage', { stream: true })).text();
    expect(await lastRecord()).toMatchObject({ usage_source: 'estimated', type: 'consume' });
  });

  test.each([
    ['whole', 'gpt-4o+no-usage+tokens-40', false, 40],
    ['streamed', 'gpt-4o+no-usage+tokens-4000', true, 4_000],
    ['cut', 'gpt-4o+tokens-40+cut-after-11', true, 10],
  ])('of a model with a known vocabulary, %s, is counted to the token', async (_how, model, stream, words) => {
    await (await scene.chat(model, { stream })).text();
    const delivered = await countTokens('o200k_base', generateTokens(words).join(''));
    expect(await lastRecord()).toMatchObject({ usage_source: 'counted', completion_tokens: delivered });
  });

  test('estimates the usage of a stream when approximate counting is enabled', async () => {
    await scene.admin.api(settings).update({ body: { key: 'ApproximateTokenEnabled', value: 'true' } });
    await (await scene.chat('gpt-4o+no-usage', { stream: true })).text();
    expect(await lastRecord()).toMatchObject({ usage_source: 'estimated' });
    await scene.admin.api(settings).update({ body: { key: 'ApproximateTokenEnabled', value: 'false' } });
  });

  test('cancels the upstream when the client disconnects and charges the delivered content', async () => {
    const leaving = new AbortController();
    const response = await scene.post(
      '/v1/chat/completions',
      { model: 'scripted+tokens-500+drip-5ms', stream: true, messages: [{ role: 'user', content: 'x' }] },
      { signal: leaving.signal },
    );
    const reader = response.body?.getReader();
    for (let read = 0; read < 5; read += 1) await reader?.read();
    const left = scene.waitForDisconnect();
    leaving.abort();
    await left;
    scene.clock.advance(1);
    const record = await lastRecord();
    expect(record).toMatchObject({ type: 'consume', usage_source: 'estimated' });
    await expect.poll(() => scene.upstream.requests[0]?.disconnectedAt).toBeGreaterThan(0);
    expect(scene.upstream.requests[0]?.piecesSent).toBeLessThan(400);
  });
});

describe('a failing upstream', () => {
  test.each([
    ['scripted+status-500', 502],
    ['scripted+garbage', 502],
    ['scripted+error-in-200', 502],
    ['scripted+status-400', 400],
    ['scripted+status-401', 503],
    ['scripted+status-429-retry-1', 429],
  ])('%s is answered with %i, costs nothing and holds nothing', async (model, status) => {
    const before = await scene.balance();
    const response = await scene.chat(model);
    await response.text();
    const record = await lastRecord();
    expect(response.status).toBe(status);
    expect(response.headers.get('x-request-id')).toBe(record.request_id);
    expect(record).toMatchObject({ type: 'error', quota: 0 });
    expect(await scene.balance()).toBe(before);
    expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
  });

  test('retries another channel while nothing has been delivered, at one charge', async () => {
    const id = await scene.newChannel({ name: 'second', models: ['s-retry'] });
    await scene.newChannel({ name: 'first', models: ['s-retry'], priority: 5 });
    scene.upstream.setScript((_request, nth) => (nth === 0 ? { status: 503 } : undefined));
    const response = await scene.chat('s-retry', { stream: true });
    expect(await response.text()).toContain('[DONE]');
    const record = await lastRecord();
    expect(record).toMatchObject({ type: 'consume', channel_id: id });
    expect(JSON.parse(record.detail).attempts).toMatchObject([
      { outcome: 'overloaded', status: 503 },
      { outcome: 'answered' },
    ]);
  });

  test('never charges an absurd or negative amount for an absurd or negative usage', async () => {
    await (await scene.chat('scripted+negative-usage')).text();
    expect((await lastRecord()).quota).toBeGreaterThanOrEqual(0);
    await (await scene.chat('scripted+huge-usage')).text();
    expect(Number.isSafeInteger((await lastRecord()).quota)).toBe(true);
    expect((await verifyLedger(scene.ctx.db.reader)).problems).toEqual([]);
  });
});

test('a call is charged by the price at its beginning, regardless of later changes', async () => {
  const model = 'steady+tokens-40+drip-20ms';
  await scene.newChannel({ models: [model] });
  const priceOf = (factor: number) => ({ model, rates: rates.parse({ input: factor, output: factor }) });
  await scene.admin.api(prices).create({ body: savePrice.parse(priceOf(NANO_POINTS_PER_POINT)) });
  const payer = await scene.createUser('user', { quota: 1_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, payer);
  const answering = scene.chat(model, { stream: true }, key);
  await expect.poll(() => scene.upstream.requests.length).toBe(1);
  await scene.admin
    .api(prices)
    .update({ params: { model }, body: savePrice.parse(priceOf(1_000 * NANO_POINTS_PER_POINT)) });
  await (await answering).text();
  const record = await lastRecord();
  expect(record.quota).toBe(record.prompt_tokens + record.completion_tokens);
});
