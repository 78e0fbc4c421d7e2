/** One call of an upstream, which may be drained after its client has disconnected, to learn the usage. */
import { createServer } from 'node:http';
import { deadlines } from '@switchyard/contract/channels/channel-nested-settings';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { getChannelHealth } from '../../channels/registry/registry.ts';
import { advanceWhile } from '../../testing/advance-until.ts';
import { NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import { ResponseFlow } from '../http/response-flow.ts';

let scene: RelayScene;

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
  await scene.newChannel({});
  await scene.newChannel({ models: ['read-on*'], deadlines: deadlines.parse({ read_on_seconds: 2 }) });
});
afterAll(() => scene.close());

/** Reads a few pieces and leaves. Resolves when the gateway has noticed it. */
async function leaveEarly(model: string): Promise<void> {
  const leaving = new AbortController();
  const body = { model, stream: true, messages: [{ role: 'user', content: 'x' }] };
  const response = await scene.post('/v1/chat/completions', body, { signal: leaving.signal });
  const reader = response.body?.getReader();
  for (let read = 0; read < 3; read += 1) await reader?.read();
  const left = scene.waitForDisconnect();
  leaving.abort();
  await left;
}

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return record;
}

test('cancels the upstream after a disconnect without the option and counts the delivered content', async () => {
  await leaveEarly('scripted+tokens-300+drip-5ms');
  scene.clock.advance(1);
  expect(await lastRecord()).toMatchObject({ usage_source: 'estimated' });
  expect(scene.upstream.requests.at(-1)?.piecesSent).toBeLessThan(250);
});

test('drains a response after a disconnect, charges the reported usage, and records the ending', async () => {
  await leaveEarly('read-on+tokens-100+drip-5ms');
  const record = await lastRecord();
  expect(record).toMatchObject({ usage_source: 'reported', completion_tokens: 100 });
  const { data } = await scene.user.api(usageRecords).listOwn({ query: { size: 1 } });
  const id = data[0]?.id;
  if (id === undefined) throw new Error('there is no record');
  expect((await scene.user.api(usageRecords).getOwn({ params: { id } })).ending).toBe('client-left');
});

/** Makes each reading of the delivered usage fail, as a fault of the gateway would. */
function breakMeters(): void {
  const broken = vi.spyOn(ResponseFlow.prototype, 'billedMeter', 'get').mockImplementation(() => {
    throw new TypeError('Cannot convert object to primitive value');
  });
  onTestFinished(() => broken.mockRestore());
}

test('ends and charges a delivered stream after a fault of the gateway at its end', async () => {
  breakMeters();
  const response = await scene.chat('scripted+tokens-100', { stream: true });
  expect(await response.text()).toContain('server_error');
  const record = await lastRecord();
  expect(record).toMatchObject({ type: 'consume', usage_source: 'estimated' });
  expect(record.completion_tokens).toBeGreaterThan(50);
  expect(scene.ctx.ledger.openHolds).toBe(0);
});

test('charges the delivered content after a fault of the gateway at a disconnect', async () => {
  breakMeters();
  await leaveEarly('scripted+tokens-300+drip-5ms');
  const record = await lastRecord();
  expect(record).toMatchObject({ type: 'consume', usage_source: 'estimated' });
  expect(record.completion_tokens).toBeGreaterThan(0);
  expect(scene.ctx.ledger.openHolds).toBe(0);
});

test('cancels a response that does not end in time, and charges only the delivered content', async () => {
  await leaveEarly('read-on+tokens-10000+drip-5ms');
  scene.clock.advance(1.9);
  expect(scene.ctx.ledger.openHolds).toBe(1);
  scene.clock.advance(0.1);
  const record = await lastRecord();
  expect(record).toMatchObject({ usage_source: 'estimated' });
  expect(record.completion_tokens).toBeLessThan(50);
  await expect.poll(() => scene.upstream.requests.at(-1)?.disconnectedAt).toBeGreaterThan(0);
});

test('an answer of which nothing was delivered is not read on', async () => {
  const leaving = new AbortController();
  const body = { model: 'read-on+silent', stream: true, messages: [{ role: 'user', content: 'x' }] };
  const pending = scene.post('/v1/chat/completions', body, { signal: leaving.signal });
  await expect.poll(() => scene.ctx.ledger.openHolds).toBe(1);
  leaving.abort();
  await pending.catch(() => undefined);
  expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
});

describe('a provider that accepts a task', () => {
  const REPLICATE = 52;
  /** `at` in milliseconds of the scene's clock. */
  const requests: { method: string; url: string; authorization: string; at: number }[] = [];
  /** How the first questions about an order are answered; undefined: not at all. */
  let failures: (number | undefined)[] = [];
  const vendor = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, authorization: headers.authorization ?? '', at: scene.clock.elapsed() });
    if (method === 'GET' && requests.length <= 1 + failures.length) {
      const status = failures[requests.length - 2];
      if (status === undefined) request.socket.destroy();
      else response.writeHead(status).end();
      return;
    }
    const isReady = requests.length > 2 && !url.endsWith('/never');
    const id = url.includes('/stuck/') || url.endsWith('/never') ? 'never' : 'soon';
    const order = isReady
      ? { id, status: 'succeeded', error: null, output: ['https://pictures.test/1.png'] }
      : { id, status: 'processing', error: null, output: null };
    request.resume().on('end', () => {
      response.writeHead(method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(order));
    });
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => vendor.listen(0, '127.0.0.1', resolve));
    const address = vendor.address();
    if (address === null || typeof address === 'string') throw new Error('it does not listen');
    await scene.newChannel({
      type: REPLICATE,
      base_url: `http://127.0.0.1:${address.port}`,
      models: ['stuck/model'],
      deadlines: deadlines.parse({ first_content: 3 }),
    });
    await scene.newChannel({
      type: REPLICATE,
      base_url: `http://127.0.0.1:${address.port}`,
      models: ['quick/model', 'patient/model'],
    });
  });
  beforeEach(() => {
    requests.splice(0);
    failures = [];
  });
  afterAll(() => vendor.close());

  const draw = (model: string, signal?: AbortSignal): Promise<Response> =>
    scene.post('/v1/images/generations', { model, prompt: 'a cat' }, signal && { signal });
  /** Lets the time pass until there is an answer. */
  const drawn = async (model: string): Promise<Response> => {
    let answer: Response | undefined;
    const drawing = draw(model).then((response) => {
      answer = response;
    });
    const passing = expect.poll(
      () => {
        if (answer === undefined) scene.clock.advance(0.1);
        return answer;
      },
      { interval: 10 },
    );
    await Promise.all([drawing, passing.toBeDefined()]);
    if (answer === undefined) throw new Error('there is no answer');
    return answer;
  };

  test('polls the provider with the channel’s key until the image is done and charges it once', async () => {
    const response = await drawn('quick/model');
    expect(await response.json()).toMatchObject({ data: [{ url: 'https://pictures.test/1.png' }] });
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/models/quick/model/predictions',
      'GET /v1/predictions/soon',
      'GET /v1/predictions/soon',
    ]);
    expect(requests.every(({ authorization }) => authorization === 'Bearer sk-upstream')).toBe(true);
    expect((requests[2]?.at ?? 0) - (requests[1]?.at ?? 0)).toBeGreaterThan(900);
    expect(await lastRecord()).toMatchObject({ type: 'consume' });
  });

  test('polls again after failed polls without a second submission', async () => {
    failures = [503, undefined];
    const response = await drawn('patient/model');
    expect(await response.json()).toMatchObject({ data: [{ url: 'https://pictures.test/1.png' }] });
    expect(requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET']);
    expect(await lastRecord()).toMatchObject({ type: 'consume' });
  });

  test('stops polling when the provider refuses the poll', async () => {
    failures = [401];
    expect((await drawn('patient/model')).ok).toBe(false);
    expect(requests.map(({ method }) => method).slice(0, 2)).toEqual(['POST', 'GET']);
    expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
  });

  test('abandons the task when the channel’s deadline is over', async () => {
    const response = await drawn('stuck/model');
    expect(response.ok).toBe(false);
    expect(await lastRecord()).toMatchObject({ type: 'error', quota: 0 });
  });

  test('stops polling when the client has disconnected', async () => {
    const leaving = new AbortController();
    const drawing = draw('stuck/model', leaving.signal);
    await expect.poll(() => requests.length).toBe(1);
    const left = scene.waitForDisconnect();
    leaving.abort();
    await Promise.all([left, expect(drawing).rejects.toThrow()]);
    expect(await lastRecord()).toMatchObject({ quota: 0 });
    const times = requests.length;
    scene.clock.advance(5);
    scene.clock.advance(5);
    // Whatever was asked meanwhile has arrived when this is answered.
    expect((await drawn('quick/model')).ok).toBe(true);
    expect(requests.slice(times).map(({ url }) => url)).not.toContain('/v1/predictions/never');
    expect(times).toBeLessThan(3);
  });
});

describe('an image that its vendor is asked for until it is made', () => {
  const BFL = 1204;
  const REPLICATE = 52;
  const limit = { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } };
  const image = 'https://works.test/1.png';
  const done = {
    flux: { status: 'Ready', result: { sample: image } },
    replicate: { id: 'p1', status: 'succeeded', output: [image] },
  };

  /** One that answers the first two questions so, and then that the image is made. */
  const startImages = async (type: number, answer: unknown) => {
    const name = type === BFL ? 'flux' : 'replicate';
    let questions = 0;
    const vendor = await startTestVendor({}, ({ method }) => {
      if (method === 'POST')
        return type === BFL
          ? { json: { id: 'p1', polling_url: `${vendor.url}/v1/get_result?id=p1` } }
          : { status: 201, json: { id: 'p1', status: 'starting' } };
      questions += 1;
      return { json: questions <= 2 ? answer : done[name] };
    });
    onTestFinished(() => vendor.close());
    const other = await startTestVendor({}, () => ({ status: 400, json: { detail: 'second channel' } }));
    onTestFinished(() => other.close());
    const model = `${name}/model-${vendor.url.split(':').at(-1)}`;
    await scene.newChannel({ type, models: [model], base_url: vendor.url, priority: 10 });
    await scene.newChannel({ type, models: [model], base_url: other.url, priority: 1 });
    const response = await advanceWhile(
      scene.clock,
      2,
      scene.post('/v1/images/generations', { model, prompt: 'a cat' }),
    );
    return { response, other, questions };
  };

  test.each([
    ['BFL', BFL, limit],
    ['BFL', BFL, { detail: 'Too many requests' }],
    ['Replicate', REPLICATE, limit],
    ['Replicate', REPLICATE, { status: 429, title: 'Too many requests', detail: 'throttled' }],
  ])('is asked for again by %s (%i) after %j', async (_name, type, answer) => {
    const { response, other } = await startImages(type, answer);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ data: [{ url: image }] });
    expect(other.asked).toEqual([]);
  });

  test('an order ends at once when the vendor says that it failed', async () => {
    const failed = { id: 'p1', status: 'failed', error: 'The prompt was refused as it is NSFW.' };
    const { response, questions } = await startImages(REPLICATE, failed);
    expect(response.status).not.toBe(200);
    expect(questions).toBe(1);
  });
});

describe('failures that one user’s requests cause at a channel that serves others', () => {
  const MODEL = 'patience';
  const SLOW = 32;

  test('neither put the channel into cooldown nor stay unlimited', async () => {
    const id = await scene.newChannel({ models: [MODEL], deadlines: deadlines.parse({ first_content: 20 }) });
    await setOptions(scene.ctx, { RetryTimes: '0', ConcurrencyPerToken: '100' });
    const other = await scene.newKey({ unlimited_quota: true }, scene.admin);
    let served = 0;
    scene.upstream.setScript(() => (++served > SLOW ? {} : { silentAfter: 0 }));
    onTestFinished(() => scene.upstream.setScript(undefined));
    const asked = scene.upstream.requests.length;
    const slow = Promise.all(Array.from({ length: SLOW }, () => scene.chat(MODEL)));
    await expect.poll(() => scene.upstream.requests.length).toBe(asked + SLOW);
    scene.clock.advance(15);
    expect((await scene.chat(MODEL, {}, other)).status).toBe(200);
    const responses = await advanceWhile(scene.clock, 1, slow);
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: SLOW }, () => 504));
    await scene.waitUntilSettled();
    expect(getChannelHealth(scene.ctx).get(id, MODEL)).toMatchObject({ failuresInRow: 1, circuitBreaker: 'closed' });
    expect((await scene.chat(MODEL)).status).toBe(429);
    scene.clock.advance(61);
    expect((await scene.chat(MODEL)).status).toBe(200);
  });
});
