import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { tasks } from '@switchyard/contract/tasks/tasks';
import OpenAI from 'openai';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifyLedger } from '../../ledger/ledger.ts';
import { BACKGROUND_BYTES_MAX, STORED_BYTES_MAX, storeResponse } from '../../stored-responses/stored-responses.ts';
import { measureLongestBlock } from '../../testing/measure-longest-block.ts';
import { ANTHROPIC, useRelayScene } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import { RelayError } from '../http/relay-error.ts';
import { ResponseCollector } from './response-collector.ts';

const scene = await useRelayScene();
let client: OpenAI;
beforeEach(async () => {
  await scene.newChannel({ type: ANTHROPIC });
  client = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
});

const ANSWER = 'token0 token1 token2 token3 token4 token5 token6 token7 token8 token9';
const OPENAI = 1;
/** Both took more than 400 ms. Most of what an event takes is the relay's own reading of it, before it is stored. */
const BLOCK_MAX_MS = { response: 100, event: 250 };

/** Returns the beginning of a response, and leaves. */
async function readBegin(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  const { value } = (await reader?.read()) ?? {};
  await reader?.cancel();
  return Buffer.from(value ?? []).toString();
}
const body = { model: 'scripted', input: 'My name is Ada.', background: true } as const;

/** From now on the vendor holds the last piece of its answers back. @returns what makes it send them */
function holdAnswers(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  scene.upstream.setScript(() => ({ endGate: promise }));
  onTestFinished(() => resolve());
  return resolve;
}

const until = (id: string, status: string) =>
  vi.waitFor(
    async () => {
      const response = await client.responses.retrieve(id);
      expect(response.status).toBe(status);
      return response;
    },
    { timeout: 60_000, interval: 10 },
  );
const charges = async () => (await scene.records()).filter(({ type }) => type === 'consume');
const shown = async (id: string) =>
  (await scene.user.api(tasks).listOwn({ query: { task_id: id, platform: 'responses' } })).data[0];
/** A task is ended a moment after its response. */
const endedTask = (id: string) =>
  vi.waitFor(
    async () => {
      const task = await shown(id);
      expect(['succeeded', 'failed']).toContain(task?.status);
      return task;
    },
    { timeout: 60_000, interval: 10 },
  );

async function storedIds(): Promise<string[]> {
  const rows = await scene.ctx.db.writer
    .selectFrom('stored_response')
    .select('id')
    .where('user_id', '=', scene.user.id)
    .execute();
  return rows.map(({ id }) => id);
}

async function somebodyElse(): Promise<OpenAI> {
  const apiKey = await scene.newKey({ unlimited_quota: true }, scene.admin);
  return new OpenAI({ apiKey, baseURL: `${scene.url}/v1`, maxRetries: 0 });
}

test('returns a background response at once, completes and charges it once, and lists it as a task', async () => {
  const created = await client.responses.create({ ...body, metadata: { of: 'ada' } });
  expect(created).toMatchObject({ status: 'queued', background: true, output: [], metadata: { of: 'ada' } });
  const completed = await until(created.id, 'completed');
  expect(completed).toMatchObject({ id: created.id, background: true, output_text: ANSWER });
  await scene.waitUntilSettled();
  const [charge, ...more] = await charges();
  expect(more).toEqual([]);
  expect(charge?.quota).toBeGreaterThan(0);
  expect(await endedTask(created.id)).toMatchObject({
    status: 'succeeded',
    platform: 'responses',
    prompt: 'My name is Ada.',
    works: [{ kind: 'text', text: ANSWER }],
    quota: charge?.quota,
    request_id: charge?.request_id,
  });
  expect(await storedIds()).toEqual([created.id]);
});

test('a response that the account or the token cannot pay is refused at once, and not stored', async () => {
  const poor = await scene.createUser('user');
  for (const [owner, more] of [
    [poor, { unlimited_quota: true }],
    [scene.user, { unlimited_quota: false }],
  ] as const) {
    const apiKey = await scene.newKey(more, owner);
    const otherClient = new OpenAI({ apiKey, baseURL: `${scene.url}/v1`, maxRetries: 0 });
    const rows = async () => [
      await scene.ctx.db.writer.selectFrom('task').select('id').where('user_id', '=', owner.id).execute(),
      await scene.ctx.db.writer.selectFrom('stored_response').select('id').where('user_id', '=', owner.id).execute(),
    ];
    const before = await rows();
    const refused = { status: 429, code: 'insufficient_quota' };
    for (const headers of [{}, { 'idempotency-key': 'one' }])
      await expect(otherClient.responses.create(body, { headers })).rejects.toMatchObject(refused);
    await expect(otherClient.responses.create({ ...body, stream: true })).rejects.toMatchObject(refused);
    expect(await rows()).toEqual(before);
  }
});

test('counts an incomplete event and the generated response as memory, and fails if there is none', async () => {
  const held: number[] = [];
  const hold = (bytes: number): void => {
    if (bytes > 3_000_000) throw new RelayError('overloaded', 'The memory budget is used up.');
    held.push(bytes);
  };
  const options = { id: 'resp_1', events: undefined, runPaced: async <T>(work: () => T) => work() };
  const collector = new ResponseCollector({ ...options, hold });
  const completed = `data: {"type":"response.completed","response":{"object":"response","a":"${'A'.repeat(1_000_000)}"}}\n\n`;
  await collector.addChunk(Buffer.from(completed.slice(0, 900_000)));
  await collector.addChunk(Buffer.from(completed.slice(900_000)));
  await collector.addChunk(Buffer.from(': x\n\n'));
  expect(held[0]).toBe(900_000);
  expect(held.slice(1).every((bytes) => bytes >= completed.length)).toBe(true);
  await expect(collector.addChunk(Buffer.alloc(2_000_000, 'x'))).rejects.toThrow('memory budget');
});

test('refuses to continue a background response before it is complete', async () => {
  holdAnswers();
  const { id } = await client.responses.create(body);
  const next = client.responses.create({ model: 'scripted', input: 'Who am I?', previous_response_id: id });
  await expect(next).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
});

test('continues a background response by its id', async () => {
  const { id } = await client.responses.create(body);
  await until(id, 'completed');
  await client.responses.create({ model: 'scripted', input: 'Who am I?', previous_response_id: id });
  expect(scene.upstream.requests.at(-1)?.json['messages']).toMatchObject([
    { content: [{ text: 'My name is Ada.' }] },
    { content: [{ text: ANSWER }] },
    { content: [{ text: 'Who am I?' }] },
  ]);
});

describe('a streamed background response', () => {
  test('numbers its events, and any of them can be gone on from', async () => {
    const stream = await client.responses.create({ ...body, stream: true });
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of stream) events.push(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_event, nth) => nth));
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual([
      'response.created',
      'response.queued',
      'response.in_progress',
    ]);
    const [created] = events;
    const id = created?.type === 'response.created' ? created.response.id : '';
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id, background: true } });
    const rest: unknown[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 4 }))
      rest.push(event);
    expect(rest).toEqual(events.slice(5));
  });

  test('completes the stream when its client disconnects', async () => {
    const finish = holdAnswers();
    const stream = await client.responses.create({ ...body, stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    stream.controller.abort();
    finish();
    expect((await until(id, 'completed')).output_text).toBe(ANSWER);
  });

  test('needs a place for each who follows it, as long as they do', async () => {
    await setOptions(scene.ctx, { ConcurrencyPerToken: '2' });
    const finish = holdAnswers();
    const stream = await client.responses.create({ ...body, stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    const follower = await client.responses.retrieve(id, { stream: true });
    await expect(client.responses.retrieve(id, { stream: true })).rejects.toMatchObject({ status: 429 });
    finish();
    for await (const event of follower) expect(event.type).not.toBe('error');
    expect((await until(id, 'completed')).output_text).toBe(ANSWER);
  });

  test('hides the stream from other users while it runs and afterwards', async () => {
    const stranger = await somebodyElse();
    const finish = holdAnswers();
    const stream = await client.responses.create({ ...body, stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    const follow = () => stranger.responses.retrieve(id, { stream: true });
    await expect(follow()).rejects.toMatchObject({ status: 404 });
    finish();
    await until(id, 'completed');
    await expect(follow()).rejects.toMatchObject({ status: 404 });
  });

  test('sends the end of a stream whose events were purged and refuses other responses', async () => {
    const { id } = await client.responses.create(body);
    await until(id, 'completed');
    const events: { type: string; sequence_number: number }[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 7 }))
      events.push(event);
    expect(events).toMatchObject([{ type: 'response.completed', sequence_number: 8 }]);
    const plain = await client.responses.create({ ...body, background: false });
    await expect(client.responses.retrieve(plain.id, { stream: true })).rejects.toMatchObject({ status: 400 });
  });
});

describe('a cancelled background response', () => {
  test('ends at the vendor, too, and is charged for its usage, like after a disconnect', async () => {
    holdAnswers();
    const stream = await client.responses.create({ ...body, stream: true });
    let id = '';
    for await (const event of stream) {
      if (event.type === 'response.created') id = event.response.id;
      if (event.type === 'response.output_text.delta') break;
    }
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: 'cancelled' });
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'cancelled' });
    await scene.waitUntilSettled();
    expect(scene.ctx.ledger.openHolds).toBe(0);
    const task = await endedTask(id);
    expect(task).toMatchObject({ status: 'failed', fail_reason: 'The response was canceled.' });
    const [charge, ...more] = await charges();
    expect(more).toEqual([]);
    expect(charge?.quota).toBeGreaterThan(0);
    expect(task?.quota).toBe(charge?.quota);
  });

  test('must be the caller’s own, and in the background', async () => {
    const finish = holdAnswers();
    const { id } = await client.responses.create(body);
    const stranger = await somebodyElse();
    await expect(stranger.responses.cancel(id)).rejects.toMatchObject({ status: 404 });
    finish();
    await until(id, 'completed');
    expect(await client.responses.cancel(id)).toMatchObject({ status: 'completed' });
    const plain = await client.responses.create({ ...body, background: false });
    await expect(client.responses.cancel(plain.id)).rejects.toMatchObject({ status: 400 });
  });
});

test('deletes a background response at its provider, too', async () => {
  const received: string[] = [];
  const vendor = await startTestVendor({}, ({ method, target }) => {
    received.push(`${method} ${target}`);
    const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
    const content = [{ type: 'output_text', text: 'Hello.', annotations: [] }];
    const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }];
    return { json: { id: 'resp_theirs', object: 'response', status: 'completed', output, usage } };
  });
  await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' });
  const { id } = await client.responses.create({ ...body, model: 'gpt-kept' });
  expect(await until(id, 'completed')).toMatchObject({ id, output_text: 'Hello.' });
  await endedTask(id);
  const { data } = await scene.admin.api(tasks).list({ query: { task_id: id } });
  expect(data).toMatchObject([{ upstream_id: 'resp_theirs', channel: { name: 'scripted' } }]);
  await client.responses.delete(id);
  await expect.poll(() => received).toEqual(['POST /v1/responses', 'DELETE /v1/responses/resp_theirs']);
  await vendor.close();
});

test('deletes a few responses at once at a slow provider, and the others after them', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const received = new Set<string>();
  const vendor = await startTestVendor({}, async ({ method, target }) => {
    received.add(`${method} ${target}`);
    await gate;
    // Longer than a body that is read for its connection's sake.
    return { text: 'x'.repeat(1_048_576) };
  });
  onTestFinished(() => vendor.close());
  const channelId = await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' });
  const ids = Array.from({ length: 20 }, (_, nth) => `resp_slow_${nth}`);
  for (const id of ids) {
    await storeResponse(scene.ctx, scene.user.id, {
      id,
      previousId: undefined,
      channelId,
      input: [],
      response: { id },
    });
    await client.responses.delete(id);
  }
  await expect.poll(() => received.size).toBe(16);
  open();
  await expect.poll(() => received.size).toBe(ids.length);
  expect([...received]).toEqual(ids.map((id) => `DELETE /v1/responses/${id}`));
});

test('reports why a background response failed, and charges nothing', async () => {
  const before = await scene.ctx.ledger.readAvailable(scene.user.id);
  scene.upstream.setScript(() => ({ status: 400 }));
  const { id } = await client.responses.create(body);
  const failed = await until(id, 'failed');
  expect(failed.error).toMatchObject({ message: expect.stringContaining('scripted failure') as string });
  expect(await endedTask(id)).toMatchObject({ status: 'failed', quota: 0 });
  expect(await scene.ctx.ledger.readAvailable(scene.user.id)).toBe(before);
});

test('refuses and stores nothing for a model that no channel has', async () => {
  const stored = await storedIds();
  await expect(client.responses.create({ ...body, model: 'nobody-has-this' })).rejects.toMatchObject({ status: 404 });
  expect(await storedIds()).toEqual(stored);
});

test.each([{ store: false }, { hours: '0' }])('refuses a response that could not be stored: %j', async (how) => {
  if (how.hours !== undefined) await setOptions(scene.ctx, { StoredResponseHours: how.hours });
  const call = client.responses.create({ ...body, ...(how.store === false ? { store: false } : {}) });
  await expect(call).rejects.toMatchObject({ status: 400 });
  expect(scene.upstream.requests).toEqual([]);
});

test('returns the same background response for a repeated Idempotency-Key', async () => {
  const once = { headers: { 'idempotency-key': 'one' } };
  const { id } = await client.responses.create(body, once);
  expect((await client.responses.create(body, once)).id).toBe(id);
  await until(id, 'completed');
  await scene.waitUntilSettled();
  expect(await charges()).toHaveLength(1);
});

test('generates a response once per Idempotency-Key, also when its first reply was not stored', async () => {
  const once = { headers: { 'idempotency-key': 'large' } };
  const large = { ...body, instructions: 'x'.repeat(1_100_000) };
  const { id } = await client.responses.create(large, once);
  await until(id, 'completed');
  expect(await client.responses.create(large, once)).toMatchObject({ id, status: 'completed' });
  expect(await charges()).toHaveLength(1);
});

describe('a background response under content rules', () => {
  const rule = async (action: 'refuse' | 'mask') => {
    const form = safetyRuleForm.parse({ kind: 'words', name: action, words: ['forbidden'], action });
    const { id } = await scene.admin.api(contentSafety).create({ body: form });
    onTestFinished(async () => void (await scene.admin.api(contentSafety).remove({ params: { id } })));
  };
  const goOn = (id: string) => client.responses.create({ model: 'scripted', input: 'And?', previous_response_id: id });

  test('does not send a refused request with its continuation', async () => {
    await rule('refuse');
    const { id } = await client.responses.create({ ...body, input: 'Something forbidden.' });
    await until(id, 'failed');
    await expect(goOn(id)).rejects.toMatchObject({
      status: 400,
      param: 'previous_response_id',
      message: expect.stringContaining('has the status failed. Send the whole conversation in input') as string,
    });
    expect(scene.upstream.requests).toEqual([]);
  });

  test('keeps a masked text masked in a continuation', async () => {
    await rule('mask');
    const { id } = await client.responses.create({ ...body, input: 'Something forbidden.' });
    await until(id, 'completed');
    await goOn(id);
    expect(scene.upstream.requests).toHaveLength(2);
    for (const { json } of scene.upstream.requests) expect(JSON.stringify(json)).not.toContain('forbidden');
  });

  test('its task shows the request as it was sent, and nothing of a refused one', async () => {
    await rule('mask');
    const masked = await client.responses.create({ ...body, input: 'Something forbidden.' });
    await until(masked.id, 'completed');
    expect(await endedTask(masked.id)).toMatchObject({ prompt: 'Something ***.' });
    await rule('refuse');
    const refused = await client.responses.create({ ...body, input: 'Something forbidden.' });
    await until(refused.id, 'failed');
    expect(await endedTask(refused.id)).toMatchObject({ prompt: '' });
  });
});

test('keeps the prompt of a background response that fails at its provider', async () => {
  const { id } = await client.responses.create({ ...body, model: 'scripted+status-400' });
  await until(id, 'failed');
  expect(await endedTask(id)).toMatchObject({ prompt: 'My name is Ada.' });
});

test('forwards the client’s headers that a provider may see', async () => {
  const received: unknown[] = [];
  const vendor = await startTestVendor({}, ({ headers }) => {
    received.push(headers['openai-beta'], headers['x-else']);
    return { json: { id: 'resp_theirs', object: 'response', status: 'completed', output: [] } };
  });
  await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' });
  const headers = { 'openai-beta': 'responses=v2', 'x-else': 'mine' };
  const { id } = await client.responses.create({ ...body, model: 'gpt-kept' }, { headers });
  await until(id, 'completed');
  expect(received).toEqual(['responses=v2', undefined]);
  await vendor.close();
});

describe('a background response with an id of its provider', () => {
  const startMaker = (text: string) =>
    startTestVendor({}, () => {
      const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
      const content = [{ type: 'output_text', text, annotations: [] }];
      const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }];
      return { json: { id: 'resp_theirs', object: 'response', status: 'completed', output, usage } };
    });

  test('leaves an earlier response with the same provider id unchanged', async () => {
    const vendor = await startMaker('Hello.');
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' });
    const plain = await client.responses.create({ model: 'gpt-kept', input: 'Hi.' });
    const { id } = await client.responses.create({ ...body, model: 'gpt-kept' });
    expect((await until(id, 'completed')).output_text).toBe('Hello.');
    expect((await client.responses.retrieve(plain.id)).output_text).toBe('Hello.');
    await vendor.close();
  });

  test('stores a charged response that is larger than others may be, and continues it', async () => {
    const text = 'x'.repeat(STORED_BYTES_MAX);
    const vendor = await startMaker(text);
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-long'], key: 'sk-v' });
    const { id } = await client.responses.create({ ...body, model: 'gpt-long' });
    expect((await until(id, 'completed')).output_text === text).toBe(true);
    await scene.waitUntilSettled();
    const [charge] = await charges();
    expect(charge?.quota).toBeGreaterThan(0);
    expect(charge?.detail).not.toContain('"dropped"');
    expect(await endedTask(id)).toMatchObject({ status: 'succeeded', quota: charge?.quota });
    const { data } = await scene.admin.api(tasks).list({ query: { task_id: id } });
    expect(data).toMatchObject([{ upstream_id: 'resp_theirs' }]);
    const next = await client.responses.create({ model: 'gpt-long', input: 'And?', previous_response_id: id });
    expect(next.output_text === text).toBe(true);
    await vendor.close();
  });

  const picture = (size: number, id: string) => ({
    type: 'image_generation_call',
    id,
    status: 'completed',
    result: 'A'.repeat(size),
  });
  const startPainter = (items: readonly object[]) =>
    startTestVendor({}, ({ body: asked }) => {
      const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
      const content = [{ type: 'output_text', text: 'Here they are.', annotations: [] }];
      const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content };
      const output = [...items, message];
      const response = { id: 'resp_theirs', object: 'response', status: 'completed', output, usage };
      if (JSON.parse(asked).stream !== true) return { json: response };
      const events = [
        { type: 'response.created', response: { ...response, status: 'in_progress', output: [], usage: null } },
        ...output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item })),
        { type: 'response.completed', response },
      ];
      return {
        headers: { 'content-type': 'text/event-stream' },
        text: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
      };
    });

  test.each([false, true])('keeps the images of a response that fit (streamed: %s)', async (stream) => {
    const vendor = await startPainter([picture(3_000_000, 'ig_1'), picture(3_000_000, 'ig_2')]);
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-painter'], key: 'sk-v' });
    const created = await scene.post('/v1/responses', { ...body, model: 'gpt-painter', stream });
    const [id = ''] = /resp_[\w-]+/.exec(await created.text()) ?? [];
    const completed = await until(id, 'completed');
    expect(completed.output_text).toBe('Here they are.');
    const results = completed.output.map((item) => (item.type === 'image_generation_call' ? item.result?.length : 0));
    expect(results).toEqual([3_000_000, 3_000_000, 0]);
    expect(completed).not.toHaveProperty('switchyard_removed');
    await vendor.close();
  });

  test('names the images that do not fit, and keeps the text, the usage and the other images', async () => {
    const vendor = await startPainter([picture(1_000_000, 'ig_1'), picture(BACKGROUND_BYTES_MAX, 'ig_2')]);
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-painter'], key: 'sk-v' });
    const { id } = await client.responses.create({ ...body, model: 'gpt-painter' });
    const completed = await until(id, 'completed');
    expect(completed).toMatchObject({
      output_text: 'Here they are.',
      usage: { input_tokens: 5, output_tokens: 2 },
      switchyard_removed: ['output.1.result'],
    });
    expect(completed.output[1]).toMatchObject({ id: 'ig_2', status: 'completed', result: null });
    const [first] = completed.output;
    expect(first?.type === 'image_generation_call' && first.result?.length).toBe(1_000_000);
    expect(await endedTask(id)).toMatchObject({ status: 'succeeded' });
    await vendor.close();
  });

  test.each([false, true])(
    'handles a response of 45 MB without blocking others for long (streamed: %s)',
    async (stream) => {
      const output = Array.from({ length: 9 }, (_, nth) => picture(5_000_000, `ig_${nth}`));
      const response = {
        id: 'resp_theirs',
        object: 'response',
        status: 'completed',
        output,
        usage: { output_tokens: 2 },
      };
      const json = Buffer.from(JSON.stringify(response));
      const event = ['event: response.completed\ndata: {"type":"response.completed","response":', json, '}\n\n'];
      const events = Buffer.concat(event.map((part) => Buffer.from(part)));
      const vendor = await startTestVendor({}, () =>
        stream
          ? { headers: { 'content-type': 'text/event-stream' }, text: events }
          : { headers: { 'content-type': 'application/json' }, text: json },
      );
      await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-painter'], key: 'sk-v' });
      const block = await measureLongestBlock(async () => {
        const created = await scene.post('/v1/responses', { ...body, model: 'gpt-painter', stream });
        const [id = ''] = /resp_[\w-]+/.exec(await readBegin(created)) ?? [];
        expect(await endedTask(id)).toMatchObject({ status: 'succeeded' });
      });
      await vendor.close();
      expect(block).toBeLessThan(stream ? BLOCK_MAX_MS.event : BLOCK_MAX_MS.response);
    },
  );

  test('fails a response that cannot be shortened enough, with the reason, and charges it', async () => {
    const call = {
      type: 'function_call',
      id: 'fc',
      call_id: 'c',
      name: 'f',
      arguments: 'x'.repeat(BACKGROUND_BYTES_MAX),
    };
    const vendor = await startPainter([call]);
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-long'], key: 'sk-v' });
    const { id } = await client.responses.create({ ...body, model: 'gpt-long' });
    const failed = await until(id, 'failed');
    expect(failed.error?.message).toContain('could not be stored');
    const [charge] = await charges();
    expect(charge?.quota).toBeGreaterThan(0);
    expect(await endedTask(id)).toMatchObject({ status: 'failed', quota: charge?.quota });
    await vendor.close();
  });

  test('leaves no more of its text in its task than the beginning, and nothing when it is deleted', async () => {
    const vendor = await startMaker('x'.repeat(1_000));
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-long'], key: 'sk-v' });
    const { id } = await client.responses.create({ ...body, model: 'gpt-long' });
    expect((await until(id, 'completed')).output_text).toHaveLength(1_000);
    expect(await endedTask(id)).toMatchObject({ works: [{ kind: 'text', text: 'x'.repeat(200) }] });
    await client.responses.delete(id);
    expect(await shown(id)).toBeUndefined();
    await vendor.close();
  });
});

test('doesn’t restart a response deleted while it runs for the same Idempotency-Key', async () => {
  const once = { headers: { 'idempotency-key': 'forgotten' } };
  const finish = holdAnswers();
  const large = { ...body, instructions: 'x'.repeat(1_100_000) };
  const { id } = await client.responses.create(large, once);
  await scene.ctx.db.writer.deleteFrom('stored_response').where('id', '=', id).execute();
  await expect(client.responses.create(large, once)).rejects.toMatchObject({ status: 409 });
  finish();
  expect(await endedTask(id)).toMatchObject({ status: 'failed' });
  expect(await charges()).toHaveLength(1);
});

test('counts a background response as one request in the token’s limits, also when refused', async () => {
  const apiKey = await scene.newKey({ unlimited_quota: true, api_rate: 2 });
  const limited = new OpenAI({ apiKey, baseURL: `${scene.url}/v1`, maxRetries: 0 });
  const { id } = await limited.responses.create(body);
  await until(id, 'completed');
  await expect(limited.responses.create({ ...body, store: false })).rejects.toMatchObject({ status: 400 });
  await expect(limited.responses.create({ ...body, store: false })).rejects.toMatchObject({ status: 429 });
});

test('occupies one concurrency slot, and can be polled and cancelled without another', async () => {
  await setOptions(scene.ctx, { ConcurrencyPerToken: '1' });
  const { id } = await client.responses.create(body);
  expect((await until(id, 'completed')).output_text).toBe(ANSWER);
  holdAnswers();
  // The slot of the first is free a moment after its response is stored.
  const long = await vi.waitFor(() => client.responses.create(body), { timeout: 60_000 });
  expect(await client.responses.retrieve(long.id)).toMatchObject({ id: long.id });
  expect(await client.responses.cancel(long.id)).toMatchObject({ status: 'cancelled' });
});

test('deletes the artifacts of a response and leaves no hold open', async () => {
  holdAnswers();
  const stream = await client.responses.create({ ...body, stream: true });
  let id = '';
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id;
    if (event.type === 'response.output_text.delta') break;
  }
  await client.responses.delete(id);
  await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(client.responses.retrieve(id, { stream: true })).rejects.toMatchObject({ status: 404 });
  await scene.waitUntilSettled();
  expect(await storedIds()).toEqual([]);
  expect(await verifyLedger(scene.ctx.db.writer)).toMatchObject({ problems: [] });
});
