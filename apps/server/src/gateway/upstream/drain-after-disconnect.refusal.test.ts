/** A stream that the gateway ends for its client is drained like one whose client disconnects. */
import { once } from 'node:events';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { advanceUntil, advanceWhile } from '../../testing/advance-until.ts';
import { ANTHROPIC, NOON, type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { type ReplyHandler, startTestVendor } from '../../testing/simulated-vendor.ts';
import {
  formatChatChunk,
  formatChatEnd,
  type StreamingUpstream,
  startStreamingUpstream,
  startWaitingMessages,
} from '../../testing/streaming-upstream.ts';

const OPENAI = 1;
const REASONING = 20_000;
/** Seconds; a stream whose cost is known is drained for less than one. */
const LONG_AFTER = 20;
/** The request has an image by its address, whose tokens only the report has. */
const content = [{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }];

let scene: RelayScene;
const upstreams: StreamingUpstream[] = [];

beforeAll(async () => {
  scene = await startRelayScene({ now: NOON });
  const words = { kind: 'words', action: 'refuse', words: ['forbidden'], input: false, output: true };
  await scene.admin.api(contentSafety).create({ body: safetyRuleForm.parse({ name: 'List', ...words }) });
});
afterAll(async () => {
  await scene.close();
  for (const upstream of upstreams) await upstream.close();
});

interface Stream {
  upstream: StreamingUpstream;
  reader: { read(): Promise<{ done: boolean; value?: string | undefined }> };
  /** Has the upstream write the next part, if it waits. */
  next(): void;
  /** Disconnects the client. */
  leave(): Promise<void>;
  /** Disables the token of the request. */
  disableKey(): Promise<void>;
}

const parts = [
  formatChatChunk({ content: 'Fine words first. ' }),
  formatChatChunk({ content: 'Then a forbidden word. ' }),
  formatChatEnd({
    prompt_tokens: 50_000,
    completion_tokens: REASONING + 8,
    completion_tokens_details: { reasoning_tokens: REASONING },
  }),
];

/** Begins a stream and reads its first part. */
async function beginStream(messages: readonly object[], more: object = {}): Promise<Stream> {
  const gates: (() => void)[] = [];
  const upstream = await startStreamingUpstream(async (response) => {
    for (const part of parts) {
      if (part !== parts[0]) await new Promise<void>((resolve) => void gates.push(resolve));
      response.write(part);
    }
    response.end();
  });
  upstreams.push(upstream);
  const model = `vendor-${upstream.url.split(':').at(-1)}`;
  await scene.newChannel({ base_url: upstream.url, models: [model], options: { fileUrls: 'pass' } });
  const { id, key } = await scene.user.api(apiKeys).create({ body: { name: model, unlimited_quota: true } });
  const leaving = new AbortController();
  const body = { model, stream: true, messages, ...more };
  const response = await scene.post('/v1/chat/completions', body, { key, signal: leaving.signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) throw new Error('there is no stream');
  await reader.read();
  await expect.poll(() => gates.length).toBe(1);
  return {
    upstream,
    reader,
    next: () => gates.shift()?.(),
    async leave() {
      const left = scene.waitForDisconnect();
      leaving.abort();
      await left;
    },
    async disableKey() {
      await scene.user.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } });
    },
  };
}

/** Reads until the response ends, while the gateway looks after the rights of its caller. */
async function readToEnd({ reader }: Stream): Promise<string> {
  let text = '';
  let hasEnded = false;
  const read = async (): Promise<void> => {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) text += piece.value ?? '';
    hasEnded = true;
  };
  await Promise.all([read(), advanceUntil(scene.clock, () => expect(hasEnded).toBe(true), 0.5)]);
  return text;
}

/** Has the upstream write the rest of the stream, and waits until the request is charged. */
async function endUpstream(stream: Stream): Promise<void> {
  const openHolds = (): number => {
    stream.next();
    return scene.ctx.ledger.openHolds;
  };
  await expect.poll(openHolds, { interval: 10 }).toBe(0);
}

async function lastRecord() {
  await scene.waitUntilSettled();
  const record = (await scene.records()).at(-1);
  if (record === undefined) throw new Error('there is no record');
  return { ...record, ending: JSON.parse(record.detail).ending };
}

test('charges the drained part of a stream without a report only when a tool may have carried it away', async () => {
  const charged: number[] = [];
  for (const mcp_servers of [undefined, [{ type: 'url', name: 'own', url: 'https://own.test' }]]) {
    const stream = await beginStream([{ role: 'user', content }], { mcp_servers });
    await stream.leave();
    stream.next();
    await sleep(systemTimers, 50);
    scene.clock.advance(150);
    const record = await lastRecord();
    expect(record.usage_source).toBe('estimated');
    charged.push(record.completion_tokens);
  }
  const [delivered = 0, drained = 0] = charged;
  expect(drained).toBeGreaterThan(delivered);
});

const refusals: readonly (readonly [string, string, (stream: Stream) => Promise<void> | void])[] = [
  ['the token is disabled', 'is disabled', (stream) => stream.disableKey()],
  ['a content rule matches', 'content policy', (stream) => stream.next()],
];

describe.each(refusals)('when %s', (_why, message, refuse) => {
  test('ends the response at once, reads the usage report later and charges it', async () => {
    const before = await scene.balance();
    const stream = await beginStream([{ role: 'user', content }]);
    await refuse(stream);
    const text = await readToEnd(stream);
    expect(text).toContain(message);
    expect(text).not.toContain('forbidden word');
    expect(text).not.toContain('[DONE]');
    expect(scene.ctx.ledger.openHolds).toBe(1);
    scene.clock.advance(LONG_AFTER);
    await endUpstream(stream);
    const record = await lastRecord();
    expect(record).toMatchObject({
      type: 'consume',
      usage_source: 'reported',
      prompt_tokens: 50_000,
      completion_tokens: REASONING + 8,
      ending: 'gateway-stopped',
    });
    expect(before - (await scene.balance())).toBe(record.quota);
    expect(stream.upstream.cancelled).toBe(0);
  });

  test('cancels a stream whose cost is known after a moment, and charges the delivered content', async () => {
    const stream = await beginStream([{ role: 'user', content: 'x' }]);
    await refuse(stream);
    expect(await readToEnd(stream)).toContain(message);
    scene.clock.advance(1);
    const record = await lastRecord();
    expect(record).toMatchObject({ type: 'consume', usage_source: 'estimated', ending: 'gateway-stopped' });
    expect(record.completion_tokens).toBeLessThan(20);
    await expect.poll(() => stream.upstream.cancelled).toBe(1);
  });

  test('continues the drain of a stream whose client has left before', async () => {
    const stream = await beginStream([{ role: 'user', content }]);
    await stream.leave();
    await refuse(stream);
    scene.clock.advance(1);
    scene.clock.advance(LONG_AFTER);
    expect(scene.ctx.ledger.openHolds).toBe(1);
    await endUpstream(stream);
    expect(await lastRecord()).toMatchObject({
      usage_source: 'reported',
      completion_tokens: REASONING + 8,
      ending: 'client-left',
    });
  });
});

test.each([
  ['', {}],
  ['and is repeated by its idempotency key', { 'idempotency-key': 'once' }],
])(
  'charges what tools at the provider may have carried to a client that lost its token before the content %s',
  async (_what, headers) => {
    const upstream = await startWaitingMessages({ input_tokens: 20_000, output_tokens: REASONING });
    upstreams.push(upstream);
    const model = `caller-${upstream.url.split(':').at(-1)}`;
    await scene.newChannel({ type: ANTHROPIC, base_url: upstream.url, models: [model] });
    const { id, key } = await scene.user.api(apiKeys).create({ body: { name: model, unlimited_quota: true } });
    const body = {
      model,
      max_tokens: 50_000,
      messages: [{ role: 'user', content: 'x' }],
      mcp_servers: [{ type: 'url', name: 'own', url: 'https://own.test' }],
    };
    const asking = scene.post('/v1/messages', body, { key, headers });
    await expect.poll(upstream.countWaiting, { interval: 10 }).toBe(1);
    await scene.user.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } });
    const response = await advanceWhile(scene.clock, 0.5, asking);
    expect(response.status).toBe(401);
    expect(await response.text()).toContain('is disabled');
    expect(scene.ctx.ledger.openHolds).toBe(1);
    upstream.sendNext();
    const record = await lastRecord();
    expect(record).toMatchObject({ type: 'consume', prompt_tokens: 20_000, completion_tokens: REASONING });
    expect(record.ending).toBe('gateway-stopped');
    expect(upstream.cancelled).toBe(0);
  },
);

test('charges the prompt that the provider has reported to a client that lost its token before the content', async () => {
  const message = {
    type: 'message',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 20_000, output_tokens: 1 },
  };
  let hasReported = false;
  const upstream = await startStreamingUpstream(async (response) => {
    response.write(`event: message_start\ndata: ${JSON.stringify({ type: 'message_start', message })}\n\n`);
    hasReported = true;
    await once(response, 'close');
  });
  upstreams.push(upstream);
  await scene.newChannel({ type: ANTHROPIC, base_url: upstream.url, models: ['prompted'] });
  const { id, key } = await scene.user.api(apiKeys).create({ body: { name: 'prompted', unlimited_quota: true } });
  const body = { model: 'prompted', max_tokens: 100, stream: true, messages: [{ role: 'user', content: 'x' }] };
  const asking = scene.post('/v1/messages', body, { key });
  await expect.poll(() => hasReported).toBe(true);
  await scene.user.api(apiKeys).update({ query: {}, body: { id, status: 'disabled' } });
  const response = await advanceWhile(scene.clock, 0.05, asking);
  expect(await response.text()).toContain('is disabled');
  const record = await lastRecord();
  expect(record).toMatchObject({ type: 'consume', prompt_tokens: 20_000, ending: 'gateway-stopped' });
});

/** More than a user's share of the memory budget of these tests. */
const LARGE = 400_000;

/** Starts a scene with little memory, and a vendor whose model calls a server of the client. */
async function startToolScene(respond: ReplyHandler, channels = 1) {
  const toolScene = await startRelayScene({ now: NOON, config: { relayMemoryMaxBytes: LARGE } });
  const vendor = await startTestVendor({ 'POST /v1/responses': respond });
  onTestFinished(async () => {
    await toolScene.close();
    await vendor.close();
  });
  for (let nth = 0; nth < channels; nth += 1)
    await toolScene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['caller'] });
  const body = {
    model: 'caller',
    input: 'x',
    store: false,
    tools: [{ type: 'mcp', server_label: 's', server_url: 'https://own.test', require_approval: 'never' }],
  };
  const send = async () => {
    const response = await advanceWhile(toolScene.clock, 5, toolScene.post('/v1/responses', body));
    await toolScene.waitUntilSettled();
    return { status: response.status, record: (await toolScene.records()).at(-1) };
  };
  return { ...toolScene, vendor, send };
}

const buildToolResponse = (characters: number, text = 'Done.') => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'caller',
  output: [
    { type: 'mcp_call', id: 'mcp_1', server_label: 's', name: 'f', arguments: 'a'.repeat(characters), output: 'ok' },
    { type: 'message', id: 'm', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text }] },
  ],
  usage: { input_tokens: 1_000, output_tokens: REASONING, total_tokens: 1_000 + REASONING },
});

describe('a response that tools at the provider may have carried to the client', () => {
  test.each([
    ['is charged as reported', LARGE, 'reported', REASONING],
    ['costs what was reserved when even its report does not fit', 10 * LARGE, 'estimated', 1_000],
  ])('%s after a stop for lack of memory', async (_what, characters, usage_source, completion_tokens) => {
    const { send } = await startToolScene(() => ({ json: buildToolResponse(characters) }));
    const { status, record } = await send();
    expect(status).toBe(503);
    expect(record).toMatchObject({ type: 'consume', usage_source, completion_tokens });
    expect(record?.quota).toBeGreaterThan(0);
  });

  test('costs the reported usage when a content rule refuses it', async () => {
    const { send, admin } = await startToolScene(() => ({ json: buildToolResponse(10, 'It is forbidden.') }));
    const words = { kind: 'words', action: 'refuse', words: ['forbidden'], input: false, output: true };
    await admin.api(contentSafety).create({ body: safetyRuleForm.parse({ name: 'List', ...words }) });
    const { status, record } = await send();
    expect(status).toBe(400);
    expect(record).toMatchObject({ type: 'consume', usage_source: 'reported', completion_tokens: REASONING });
  });

  test('costs the hold after the deadline, and is not requested again', async () => {
    const { send, vendor } = await startToolScene(() => 'silence', 2);
    const { status, record } = await send();
    expect(status).toBe(504);
    expect(record).toMatchObject({ type: 'consume', usage_source: 'estimated', completion_tokens: 1_000 });
    expect(record?.quota).toBeGreaterThan(0);
    expect(vendor.asked).toHaveLength(1);
  });
});

test('reads the report of a stream that lack of memory ends for its client', async () => {
  const small = await startRelayScene({ config: { relayMemoryMaxBytes: LARGE } });
  const format = (type: string, more: object): string => `data: ${JSON.stringify({ type, ...more })}\n\n`;
  const { usage } = buildToolResponse(0);
  const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'A'.repeat(LARGE) };
  const base = { id: 'resp_1', object: 'response', model: 'o3' };
  const upstream = await startStreamingUpstream(async (response) => {
    response.write(format('response.created', { response: { ...base, status: 'in_progress', output: [] } }));
    response.write(format('response.output_text.delta', { item_id: 'm', output_index: 0, delta: 'Words.' }));
    const end = format('response.completed', {
      response: { ...base, status: 'completed', output: [reasoning], usage },
    });
    for (let at = 0; at < end.length; at += 50_000) {
      response.write(end.slice(at, at + 50_000));
      await sleep(systemTimers, 10);
    }
    response.end();
  });
  onTestFinished(async () => {
    await small.close();
    await upstream.close();
  });
  await small.newChannel({ type: OPENAI, base_url: upstream.url, models: ['o3'] });
  const response = await small.post('/v1/responses', { model: 'o3', stream: true, input: 'x', store: false });
  expect(await response.text()).toMatch(/Words\.[^]*of memory, and the limit is/);
  await small.waitUntilSettled();
  expect((await small.records()).at(-1)).toMatchObject({ usage_source: 'reported', completion_tokens: REASONING });
  expect(upstream.cancelled).toBe(0);
});
