/** Rules of content safety for requests and responses, in every dialect, and their charges. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { ApiError, GoogleGenAI } from '@google/genai';
import { apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { usageRecordId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import {
  type MidjourneyVendor,
  startMidjourneyVendor,
} from '../../../../../tests/scripted-tasks/scripted-midjourney.ts';
import { getSafetyCounter } from '../../operations/content-safety/content-safety.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { type RelayScene, removeShippedPrices, startRelayScene } from '../../testing/relay-scene.ts';
import { formatChatChunk, formatChatEnd } from '../../testing/streaming-upstream.ts';

const OPENAI = 1;

let scene: RelayScene;
/** Content of the upstream, piece by piece. */
let pieces: string[] = [];
let requests: { path: string; body: string; headers: IncomingMessage['headers'] }[] = [];
let cancelled = 0;
/** Answers checks; undefined: not at all. */
let judge: ((body: string) => unknown) | undefined;

const usage = { prompt_tokens: 5, completion_tokens: 7, total_tokens: 12 };

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  request.setEncoding('utf8');
  for await (const piece of request) body += String(piece);
  const path = request.url ?? '';
  requests.push({ path, body, headers: request.headers });
  response.on('close', () => {
    if (!response.writableFinished) cancelled += 1;
  });
  if (path === '/check' || path.endsWith('/moderations')) {
    if (judge === undefined) return;
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(judge(body)));
  }
  if (!body.includes('"stream":true')) {
    const message = { role: 'assistant', content: pieces.join('') };
    response.writeHead(200, { 'content-type': 'application/json' });
    const whole = { id: 'a', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], usage };
    return void response.end(JSON.stringify(whole));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(formatChatChunk({ role: 'assistant', content: '' }));
  for (const content of pieces) {
    response.write(formatChatChunk({ content }));
    await sleep(systemTimers, 3);
  }
  response.end(formatChatEnd(usage));
}

const server = createServer((request, response) => void answer(request, response));
let url = '';
const rulesApi = () => scene.admin.api(contentSafety);
let api: ReturnType<typeof rulesApi>;

beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server)}`;
  scene = await startRelayScene();
  api = rulesApi();
  await scene.newChannel({ base_url: url, models: ['scripted'] });
  await scene.newChannel({ base_url: url, models: ['omni-moderation', 'pictures'], type: OPENAI });
});
afterAll(async () => {
  await scene.close();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  pieces = ['all ', 'is ', 'well'];
  requests = [];
  cancelled = 0;
  judge = undefined;
});
afterEach(async () => {
  for (const { id } of await api.list()) await api.remove({ params: { id } });
});

const rule = async (form: object) =>
  api.create({ body: safetyRuleForm.parse({ name: 'List', kind: 'words', ...form }) });

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

async function lastDetail() {
  const { id } = await lastRecord();
  return scene.admin.api(usageRecords).get({ params: { id: usageRecordId.parse(id) } });
}

const openai = () => new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
const anthropic = () => new Anthropic({ apiKey: scene.key, baseURL: scene.url, maxRetries: 0 });
const google = () => new GoogleGenAI({ apiKey: scene.key, httpOptions: { baseUrl: `${scene.url}/gemini` } });
const parts = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }));
const userMessages = (content: string) => [{ role: 'user' as const, content }];

test('scans and masks megabytes of a request in turns with other work', async () => {
  await rule({ action: 'mask', words: ['bomb'] });
  const content = 'a bomb in a text; '.repeat(400_000);
  const turn = await measureLongestBlockRepeatedly(async () => {
    requests = [];
    expect((await scene.chat('scripted', { messages: userMessages(content) })).status).toBe(200);
  });
  expect(requests[0]?.body).not.toContain('bomb');
  expect(requests[0]?.body).toContain('a *** in a text; a *** in a text; ');
  console.log('TURN', turn);
  expect(turn).toBeLessThan(100);
});

test('scans a request of 250 kB in turns with other work', async () => {
  await rule({ action: 'mask', words: ['bomb'] });
  // Each text is scanned alone and all as one, and both again as JSON.
  const texts = Array.from({ length: 2 }, () => 'words \\ words '.repeat(8_000));
  const turn = await measureLongestBlockRepeatedly(async () => {
    const messages = [{ role: 'user', content: parts(...texts, 'a bomb') }];
    expect((await scene.chat('scripted', { messages })).status).toBe(200);
  });
  expect(requests.at(-1)?.body).toContain('a ***');
  expect(turn).toBeLessThan(20);
});

describe('a request that is refused', () => {
  beforeEach(() => rule({ action: 'refuse', words: ['bomb', '炸弹'] }));

  test('reaches no upstream, holds and costs nothing, and leaves one record that names the rule to administrators alone', async () => {
    const before = await scene.balance();
    const response = await scene.chat('scripted', { messages: userMessages('how to build a ｂo\u200bmb') });
    expect(response.status).toBe(400);
    const text = await response.text();
    expect(text).toContain('content_filter');
    expect(text).not.toContain('List');
    expect(requests).toEqual([]);
    expect(await scene.balance()).toBe(before);
    expect(scene.ctx.ledger.openHolds).toBe(0);
    expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0, channel_id: null });
    expect((await lastDetail()).safety).toEqual([{ rule: 'List', action: 'refuse', place: 'input', failed: false }]);
    const { data } = await scene.user.api(usageRecords).listOwn({ query: { size: 1 } });
    const id = data[0]?.id;
    if (id === undefined) throw new Error('there is no record');
    expect((await scene.user.api(usageRecords).getOwn({ params: { id } })).safety).toEqual([]);
  });

  test('gives the tokens that it was expected to use back to the limits', async () => {
    const { limits, ...setting } = apiKeySetting.parse({});
    const limited = { ...setting, limits: { ...limits, tokens_per_minute: 2_000 } };
    const key = await scene.newKey({ unlimited_quota: true, setting: limited });
    const statuses: number[] = [];
    for (const word of ['bomb', 'bomb', 'bread']) {
      const response = await scene.chat('scripted', { max_tokens: 1_900, messages: userMessages(word) }, key);
      statuses.push(response.status);
    }
    expect(statuses).toEqual([400, 400, 200]);
  });

  test('refuses in the error format of each official client', async () => {
    const chat = openai().chat.completions.create({ model: 'scripted', messages: userMessages('A bomb!') });
    await expect(chat).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(chat).rejects.toMatchObject({ code: 'content_filter', type: 'invalid_request_error' });
    const response = openai().responses.create({ model: 'scripted', input: '做炸弹', stream: true });
    await expect(response).rejects.toMatchObject({ status: 400, code: 'content_filter' });
    const picture = openai().images.generate({ model: 'pictures', prompt: 'a bomb' });
    await expect(picture).rejects.toMatchObject({ status: 400, code: 'content_policy_violation' });
    const message = anthropic().messages.create({ model: 'scripted', max_tokens: 9, messages: userMessages('bomb') });
    await expect(message).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    await expect(message).rejects.toMatchObject({ error: { error: { type: 'invalid_request_error' } } });
    const gemini = google().models.generateContent({ model: 'scripted', contents: 'bomb' });
    await expect(gemini).rejects.toBeInstanceOf(ApiError);
    await expect(gemini).rejects.toMatchObject({ status: 400 });
    expect(requests).toEqual([]);
  });

  test.each([
    ['a tool’s result', { messages: [...userMessages('x'), { role: 'tool', tool_call_id: 'c', content: 'bomb' }] }],
    ['escapes within JSON in a text', { messages: userMessages(String.raw`{"q":"\u0062omb"}`) }],
    ['a text that calls itself a file', { messages: userMessages('data:text/plain;base64, bomb') }],
    ['an unknown field', { messages: userMessages('x'), aside: 'bomb' }],
    ['a name for the user', { messages: userMessages('x'), user: '炸弹' }],
    ['two parts', { messages: [{ role: 'user', content: parts('a bo', 'mb') }] }],
    ['one of two parts that are one word', { messages: [{ role: 'user', content: parts('bomb', 'astic') }] }],
  ])('cannot be hidden in %s', async (_where, body) => {
    expect((await scene.chat('scripted', body)).status).toBe(400);
    expect(requests).toEqual([]);
  });

  test('cannot be hidden as numbers of tokens', async () => {
    const response = await scene.post('/v1/completions', { model: 'scripted', prompt: [1, 2, 3] });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('token arrays');
  });

  test('may still be asked about: a moderation is no use of the words', async () => {
    judge = () => ({ id: 'm', model: 'omni-moderation', results: [{ flagged: true }] });
    const response = await scene.post('/v1/moderations', { model: 'omni-moderation', input: 'bomb' });
    expect(response.status).toBe(200);
  });

  test.each([
    ['many messages', Array.from({ length: 60_000 }, () => ({ role: 'user', content: 'bomb' }))],
    ['a long text', userMessages('bomb '.repeat(60_000))],
  ])('that could not be paid is refused before the words of %s are looked for', async (_what, messages) => {
    const poor = await scene.newKey({ remain_quota: toPoints(0), unlimited_quota: false });
    const response = await scene.chat('scripted', { messages }, poor);
    expect(await response.text()).toContain('insufficient_quota');
    expect(response.status).toBe(429);
    expect(requests).toEqual([]);
    expect((await scene.chat('scripted', { messages })).status).toBe(400);
  });

  test('fills the log only so far', async () => {
    const { length } = await scene.records();
    for (let at = 0; at < 15; at++) await (await scene.chat('scripted', { messages: userMessages('bomb') })).text();
    await scene.waitUntilSettled();
    expect((await scene.records()).length - length).toBeLessThanOrEqual(10);
  });
});

test('the rules of the user’s own group apply, regardless of the token’s group', async () => {
  await rule({ action: 'refuse', words: ['bomb'], groups: ['open'] });
  expect((await scene.chat('scripted', { messages: userMessages('bomb') })).status).toBe(200);
  await rule({ name: 'Other', action: 'refuse', words: ['bomb'], groups: ['default'] });
  await scene.admin.api(userGroups).create({ body: { symbol: 'open', name: 'Open', public: true } });
  await scene.newChannel({ base_url: url, models: ['scripted'], group: ['open'] });
  const other = await scene.newKey({ unlimited_quota: true, group: 'open' });
  expect((await scene.chat('scripted', { messages: userMessages('bomb') }, other)).status).toBe(400);
});

test('masked text reaches no upstream in any dialect, and the response is charged', async () => {
  await rule({ action: 'mask', words: ['bomb'] });
  await (await scene.chat('scripted', { messages: userMessages('a bomb, a BOMB') })).text();
  expect(requests[0]?.body).toContain('a ***, a ***');
  expect(await lastRecord()).toMatchObject({ type: 'consume', completion_tokens: 7 });
  expect((await lastDetail()).safety).toEqual([{ rule: 'List', action: 'mask', place: 'input', failed: false }]);
  await anthropic().messages.create({ model: 'scripted', max_tokens: 9, messages: userMessages('a bomb') });
  expect(requests[1]?.body).toContain('a ***');
  expect(JSON.stringify(requests)).not.toMatch(/bomb/i);
});

test('text masked across several parts is removed from each of them, and the rest stays in place', async () => {
  await rule({ action: 'mask', words: ['bomb', 'very bad'] });
  const content = parts('a b', 'om', 'b, very ', 'bad and bomb', ' good');
  await (await scene.chat('scripted', { messages: [{ role: 'user', content }] })).text();
  const sent = JSON.parse(requests[0]?.body ?? '') as { messages: { content: unknown }[] };
  expect(sent.messages[0]?.content).toEqual(parts('a ***', '', ', ***', ' and ***', ' good'));
});

test('flagged content passes unchanged, is counted, and is named in the record', async () => {
  const created = await rule({ action: 'flag', words: ['bomb'], output: true });
  pieces = ['a bo', 'mb'];
  const response = await scene.chat('scripted', { messages: userMessages('a bomb'), stream: true });
  expect(await response.text()).toContain('{"content":"mb"}');
  expect((await lastDetail()).safety.map(({ place }) => place)).toEqual(['input', 'output']);
  await getSafetyCounter(scene.ctx).write();
  expect((await api.list()).find(({ id }) => id === created.id)?.found).toBe(2);
});

describe('a response', () => {
  const text = 'It is a bomb. A bombon is none.';

  test('loses masked words wherever they are cut, streamed in every dialect', async () => {
    await rule({ action: 'mask', words: ['bomb'], input: false, output: true });
    for (const cut of [7, 9, 10, 11, 12, 13]) {
      pieces = [text.slice(0, cut), text.slice(cut)];
      const masked = text.replace('a bomb.', 'a ***.');
      const chat = openai().chat.completions.stream({ model: 'scripted', messages: userMessages('x') });
      expect((await chat.finalChatCompletion()).choices[0]?.message.content).toBe(masked);
      const message = anthropic().messages.stream({ model: 'scripted', max_tokens: 9, messages: userMessages('x') });
      expect(await message.finalText()).toBe(masked);
      const response = openai().responses.stream({ model: 'scripted', input: 'x' });
      expect((await response.finalResponse()).output_text).toBe(masked);
      let seen = '';
      const gemini = await google().models.generateContentStream({ model: 'scripted', contents: 'x' });
      for await (const chunk of gemini) seen += chunk.text ?? '';
      expect(seen).toBe(masked);
    }
  });

  test('masks a non-streaming response before it is sent', async () => {
    await rule({ action: 'mask', words: ['bomb'], input: false, output: true });
    pieces = [text];
    const chat = await openai().chat.completions.create({ model: 'scripted', messages: userMessages('x') });
    expect(chat.choices[0]?.message.content).toBe(text.replace('a bomb.', 'a ***.'));
    expect(await lastRecord()).toMatchObject({ type: 'consume', usage_source: 'reported' });
  });

  test('ends a response refused midway with an error, charges the delivered part, and cancels upstream', async () => {
    await rule({ action: 'refuse', words: ['bomb'], input: false, output: true });
    pieces = ['fine words first, ', 'then a bo', 'mb, ', ...Array.from({ length: 2_000 }, () => 'and more ')];
    const response = await scene.chat('scripted', { stream: true });
    const seen = await response.text();
    // The gateway waits a moment for the usage report.
    scene.clock.advance(1);
    expect(response.status).toBe(200);
    expect(seen).toContain('fine words first');
    expect(seen).not.toContain('mb,');
    expect(seen).toContain('"code":"content_filter"');
    expect(seen).not.toContain('[DONE]');
    const record = await lastRecord();
    expect(record.type).toBe('consume');
    expect(record.quota).toBeGreaterThan(0);
    expect(record.completion_tokens).toBeLessThan(20);
    expect(await lastDetail()).toMatchObject({
      ending: 'gateway-stopped',
      safety: [{ rule: 'List', action: 'refuse', place: 'output' }],
    });
    await expect.poll(() => cancelled).toBe(1);
    expect(requests.length).toBe(1);
  });

  test('refuses a response before anything is sent with its status, free of charge', async () => {
    await rule({ action: 'refuse', words: ['bomb'], input: false, output: true });
    pieces = ['bomb ', 'and more'];
    for (const stream of [false, true]) {
      const before = await scene.balance();
      const chat = openai().chat.completions.create({ model: 'scripted', messages: userMessages('x'), stream });
      await expect(chat).rejects.toMatchObject({ status: 400, code: 'content_filter' });
      expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
      expect(await scene.balance()).toBe(before);
    }
    expect(requests.length).toBe(2);
  });
});

test('limits the responses of a user that are refused without a charge', async () => {
  await rule({ action: 'refuse', words: ['bomb'], input: false, output: true });
  pieces = ['bomb'];
  const user = await scene.createUser('user', { quota: 100_000_000 });
  const key = await scene.newKey({ unlimited_quota: true }, user);
  for (let nth = 0; nth < 30; nth += 1) expect((await scene.chat('scripted', {}, key)).status).toBe(400);
  const refused = await scene.chat('scripted', {}, key);
  expect([refused.status, await refused.text()]).toEqual([
    429,
    expect.stringContaining('30 failed requests per minute'),
  ]);
  expect(requests).toHaveLength(30);
});

describe('a check by a model', () => {
  const form = { kind: 'moderation', model: 'omni-moderation', action: 'refuse', timeout_ms: 500 };
  const results = (scores: object, flagged = false) => ({
    id: 'm',
    model: 'omni-moderation',
    results: [{ flagged, categories: {}, category_scores: scores }],
  });

  test('reads all texts of the request, and refuses flagged ones without a charge', async () => {
    await rule(form);
    judge = () => results({}, true);
    const before = await scene.balance();
    const response = await scene.chat('scripted', {
      messages: [{ role: 'system', content: 'First.' }, ...userMessages('Second.')],
    });
    expect(response.status).toBe(400);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ model: 'omni-moderation', input: ['First.\nSecond.'] });
    expect(requests.length).toBe(1);
    expect(await scene.balance()).toBe(before);
  });

  test('passes texts below the thresholds, and charges for the response only', async () => {
    await rule({ ...form, thresholds: { violence: 0.8 } });
    judge = () => results({ violence: 0.5 }, true);
    expect((await scene.chat('scripted')).status).toBe(200);
    expect((await scene.records()).at(-1)).toMatchObject({ prompt_tokens: 5 });
    judge = () => results({ violence: 0.9 });
    expect((await scene.chat('scripted')).status).toBe(400);
  });

  test.each([
    ['pass', 200],
    ['refuse', 400],
  ])('that does not answer in time: %s', async (on_failure, status) => {
    await rule({ ...form, on_failure });
    const startedAt = performance.now();
    expect((await scene.chat('scripted')).status).toBe(status);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await lastDetail()).safety).toMatchObject([{ rule: 'List', failed: true }]);
  });

  test('fails the check of a model without a channel or without a valid response', async () => {
    await rule({ ...form, model: 'nobody-has-it', on_failure: 'refuse' });
    expect((await scene.chat('scripted')).status).toBe(400);
    expect(requests).toEqual([]);
    const [made] = await api.list();
    if (made === undefined) throw new Error('there is no rule');
    await api.remove({ params: { id: made.id } });
    await rule({ ...form, on_failure: 'refuse' });
    judge = () => ({ results: [] });
    expect((await scene.chat('scripted')).status).toBe(400);
  });
});

describe('a check by a webhook', () => {
  test('signs the webhook call, sends the texts, and follows its decision', async () => {
    const secret = `whsec_${Buffer.from('a secret of the operator').toString('base64')}`;
    await rule({ kind: 'webhook', url: `${url}/check`, secret, action: 'refuse' });
    judge = () => ({ flagged: true });
    expect((await scene.chat('scripted')).status).toBe(400);
    const [{ body, headers } = { body: '', headers: {} as IncomingMessage['headers'] }] = requests;
    const { type, data } = JSON.parse(body);
    expect(type).toBe('content.check');
    expect(data).toMatchObject({ group: 'default', model: 'scripted', operation: 'chat', texts: ['Say something.'] });
    const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
    const signature = createHmac('sha256', 'a secret of the operator').update(signed).digest('base64');
    expect(headers['webhook-signature']).toBe(`v1,${signature}`);
    judge = () => ({ flagged: false });
    expect((await scene.chat('scripted')).status).toBe(200);
  });

  test.each([
    ['pass', 200],
    ['refuse', 400],
  ])('that is late: %s', async (on_failure, status) => {
    await rule({ kind: 'webhook', url: `${url}/check`, action: 'refuse', on_failure, timeout_ms: 300 });
    expect((await scene.chat('scripted')).status).toBe(status);
  });

  test('fails when the response is too large', async () => {
    judge = () => ({ flagged: false, padding: 'x'.repeat(300_000) });
    await rule({ kind: 'webhook', url: `${url}/check`, action: 'refuse', on_failure: 'refuse' });
    expect((await scene.chat('scripted')).status).toBe(400);
  });
});

describe('a task submission', () => {
  const MIDJOURNEY = 34;
  let drawings: MidjourneyVendor;
  beforeAll(async () => {
    drawings = await startMidjourneyVendor();
    await scene.newChannel({ type: MIDJOURNEY, base_url: drawings.url, models: ['mj_*'], key: 'mj-secret' });
    await removeShippedPrices(scene.admin, ['mj_']);
    const drawing = rates.parse({ input: 1_000_000_000, output: 0 });
    await scene.admin.api(prices).create({ body: { model: 'mj_*', type: 'times', rates: drawing } });
  });
  afterAll(() => drawings.close());
  const imagine = (prompt: string, more: object = {}) => scene.post('/mj/submit/imagine', { prompt, ...more });

  test('refuses a task submission with forbidden words without calling the provider or creating a task', async () => {
    await rule({ action: 'refuse', words: ['forbidden'] });
    const answer = await imagine('a forbidden city');
    expect([answer.status, drawings.submissions.length]).toEqual([400, 0]);
    const tasks = await scene.ctx.db.writer.selectFrom('task').select('id').execute();
    expect(tasks).toEqual([]);
  });

  test('loses the words that are masked, and a picture that is sent with it is none', async () => {
    await rule({ action: 'mask', words: ['forbidden', 'AAAA'] });
    const picture = `data:image/png;base64,${'A'.repeat(400)}`;
    expect((await imagine('a forbidden city', { base64Array: [picture] })).status).toBe(200);
    expect(drawings.submissions).toMatchObject([{ body: { prompt: 'a *** city', base64Array: [picture] } }]);
    const task = await scene.ctx.db.writer.selectFrom('task').select('prompt').executeTakeFirstOrThrow();
    expect(task.prompt).toBe('a *** city');
  });
});
