import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';
import { type ScriptedUpstream, startScriptedUpstream } from './scripted-upstream.ts';

let upstream: ScriptedUpstream;
beforeAll(async () => {
  upstream = await startScriptedUpstream(['a', 'b']);
});
beforeEach(() => {
  upstream.requests.length = 0;
  upstream.setScript(undefined);
});
afterAll(() => upstream.close());

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const headers = { authorization: 'Bearer x', 'x-api-key': 'x', 'anthropic-version': '2023-06-01' };
  return fetch(upstream.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal: signal ?? null });
}

const chat = (model: string, more: object = {}): object => ({
  model,
  messages: [{ role: 'user', content: 'three small words' }],
  ...more,
});

test('reports one output token for each word and one input token for each word of the prompt', async () => {
  const answer = await (await post('/v1/chat/completions', chat('tokens-3'))).json();
  expect(answer).toMatchObject({
    choices: [{ message: { content: 'token0 token1 token2' } }],
    usage: { prompt_tokens: 3, completion_tokens: 3 },
  });
});

test('streams usage only if requested, before the end mark', async () => {
  const without = await (await post('/v1/chat/completions', chat('tokens-2', { stream: true }))).text();
  expect(without).not.toContain('usage');
  const body = chat('tokens-2', { stream: true, stream_options: { include_usage: true } });
  const events = (await (await post('/v1/chat/completions', body)).text()).split('\n\n').filter(Boolean);
  expect(events.at(-1)).toBe('data: [DONE]');
  expect(JSON.parse(events.at(-2)?.slice(6) ?? '')).toMatchObject({ usage: { completion_tokens: 2 } });
});

test("streams a message in the vendor's order of events", async () => {
  const text = await (await post('/v1/messages', chat('tokens-1', { stream: true, max_tokens: 9 }))).text();
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name)).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('serves embeddings and the model list', async () => {
  const embeddings = await (await post('/v1/embeddings', { model: 'e', input: ['one', 'two words'] })).json();
  expect(embeddings).toMatchObject({ data: [{ index: 0 }, { index: 1 }], usage: { prompt_tokens: 3 } });
  const headers = { authorization: 'Bearer x' };
  const models = await (await fetch(`${upstream.url}/v1/models`, { headers })).json();
  expect(models).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] });
});

test.each([
  ['status-500', 500],
  ['status-429-retry-1', 429],
])('fails with the status that %s names', async (model, status) => {
  const answer = await post('/v1/chat/completions', chat(model));
  expect(answer.status).toBe(status);
  expect(answer.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
});

test.each([
  ['error-in-200', '"error"'],
  ['garbage', '<html>'],
])('sends status 200 with %s', async (model, text) => {
  const answer = await post('/v1/chat/completions', chat(model));
  expect(answer.status).toBe(200);
  expect(await answer.text()).toContain(text);
});

test('cuts a stream after the named number of pieces', async () => {
  const answer = await post('/v1/chat/completions', chat('cut-after-3', { stream: true }));
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
  };
  await expect(read()).rejects.toThrow();
  expect(text.match(/^data: /gm)).toHaveLength(3);
});

test('stays silent until the client disconnects, and records when it did', async () => {
  const started = performance.now();
  await expect(post('/v1/chat/completions', chat('silent'), AbortSignal.timeout(100))).rejects.toThrow();
  await sleep(systemTimers, 50);
  expect(upstream.requests[0]?.disconnectedAt).toBeGreaterThan(started + 50);
  expect(upstream.requests[0]?.piecesSent).toBe(0);
});

test('delays the first byte and drips the rest', async () => {
  const started = performance.now();
  const answer = await post('/v1/chat/completions', chat('slow-first-byte-100+drip-10ms', { stream: true }));
  const head = performance.now();
  await answer.text();
  expect(head - started).toBeGreaterThan(90);
  expect(performance.now() - head).toBeGreaterThan(80);
});

test('follows a script instead of the name', async () => {
  upstream.setScript((_request, nth) => (nth === 0 ? { status: 503 } : undefined));
  expect((await post('/v1/chat/completions', chat('any'))).status).toBe(503);
  expect((await post('/v1/chat/completions', chat('any'))).status).toBe(200);
  expect(upstream.requests.map((request) => request.json['model'])).toEqual(['any', 'any']);
});
