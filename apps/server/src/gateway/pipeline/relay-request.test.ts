import { createServer, type Server } from 'node:http';
import { NANO_POINTS_PER_POINT, RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices, savePrice } from '@switchyard/contract/catalog/prices';
import { settings } from '@switchyard/contract/operations/settings';
import { countTokens } from '@switchyard/relay/count-tokens';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { generateTokens } from '../../../../../tests/scripted-upstream/scripted-response.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { systemTimers } from '../../platform/clock.ts';
import { ANTHROPIC, NOON, OPENAI_COMPATIBLE, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { formatChatChunk } from '../../testing/streaming-upstream.ts';

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

describe('a stream that its vendor cuts off', () => {
  const GEMINI = 25;
  const event = (json: { type: string; [field: string]: unknown }): string =>
    `event: ${json.type}\ndata: ${JSON.stringify(json)}\n\n`;
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: { output_tokens: 1 } };
  const item = { type: 'message', id: 'i', role: 'assistant', status: 'in_progress', content: [] };
  const part = { type: 'output_text', text: '', annotations: [] };
  const place = { item_id: 'i', output_index: 0, content_index: 0 };
  const text = 'some delivered words ';
  const rest = 'word '.repeat(20_000);
  /** Whole events by the end of the vendor's path, and an event without its end. */
  const beginnings: Record<string, [whole: string, half: string]> = {
    '/chat/completions': [
      formatChatChunk({ role: 'assistant', content: text }),
      `data: {"choices":[{"index":0,"delta":{"content":"${rest}`,
    ],
    '/completions': [
      `data: ${JSON.stringify({ object: 'text_completion', choices: [{ index: 0, text }] })}\n\n`,
      `data: {"object":"text_completion","choices":[{"index":0,"text":"${rest}`,
    ],
    '/messages': [
      event({ type: 'message_start', message }) +
        event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
        event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
      `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${rest}`,
    ],
    '/responses': [
      event({ type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } }) +
        event({ type: 'response.output_item.added', output_index: 0, item }) +
        event({ type: 'response.content_part.added', ...place, part }) +
        event({ type: 'response.output_text.delta', ...place, delta: text }),
      `event: response.output_text.delta\ndata: {"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":"${rest}`,
    ],
    ':streamGenerateContent': [
      `data: ${JSON.stringify({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] })}\n\n`,
      `data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"${rest}`,
    ],
  };
  let isBroken = false;
  let vendor: Server;

  beforeAll(async () => {
    vendor = createServer((request, response) => {
      const path = request.url?.replace(/\?.*/, '') ?? '';
      const [whole, half] = Object.entries(beginnings).find(([end]) => path.endsWith(end))?.[1] ?? ['', ''];
      request.resume().on('end', () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(whole);
        if (isBroken) response.write(half, () => void systemTimers.after(20, () => response.destroy()));
        else response.end(half);
      });
    });
    const base_url = `http://127.0.0.1:${await listen(vendor)}`;
    for (const [type, model] of [
      [OPENAI_COMPATIBLE, 's-chat'],
      [ANTHROPIC, 's-claude'],
      [GEMINI, 's-gemini'],
      [1, 's-responses'],
    ] as const)
      await scene.newChannel({ type, base_url, models: [model] });
  });
  afterAll(() => void vendor.close());

  const messages = [{ role: 'user', content: 'Hi' }];
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }];
  const clients = [
    ['Chat', '/v1/chat/completions', { messages, stream: true }, /data: \{"error":.*\}\n\n$/],
    ['Messages', '/v1/messages', { messages, max_tokens: 50, stream: true }, /event: error\ndata: .*\n\n$/],
    ['Responses', '/v1/responses', { input: 'Hi', stream: true }, /event: response.failed\ndata: .*\n\n$/],
    [
      'Gemini',
      '/v1beta/models/MODEL:streamGenerateContent?alt=sse',
      { contents },
      /data: \{"error":\{"code":502.*\}\s+$/,
    ],
    [
      'Gemini’s list',
      '/v1beta/models/MODEL:streamGenerateContent',
      { contents },
      /\{"error":\{"code":502.*\}\s*\]\s*$/,
    ],
    ['Completions', '/v1/completions', { prompt: 'Hi', stream: true }, /data: \{"error":.*\}\n\n$/],
  ] as const;
  const cases = clients.flatMap((client) =>
    (client[0] === 'Completions' ? ['s-chat'] : ['s-chat', 's-claude', 's-gemini', 's-responses']).flatMap((model) =>
      ['ends', 'breaks'].map((how) => [client[0], model, how, client] as const),
    ),
  );

  test.each(cases)(
    'ends for a client of %s with its error if that of %s %s, and costs what was delivered',
    async (...row) => {
      const [, model, how, [, path, body, error]] = row;
      isBroken = how === 'breaks';
      const response = await scene.post(path.replace('MODEL', model), { model, ...body });
      const received = await response.text();
      expect(received).toContain(text.trim());
      expect(received).not.toContain('word word');
      expect(received).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finishReason"/);
      expect(received).toMatch(error);
      const record = await lastRecord();
      expect(record.usage_source).not.toBe('reported');
      expect(record.completion_tokens).toBeGreaterThan(2);
      expect(record.completion_tokens).toBeLessThan(20);
    },
  );
});
