/** Bedrock's binary streams through the whole gateway: the client's response and its charge. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { NANO_POINTS_PER_POINT, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifyLedger } from '../../apps/server/src/ledger/ledger.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { signAwsRequest } from '../../packages/relay/src/auth/aws-signature.ts';
import { listen } from '../listen.ts';
import { EVENT_STREAM, encodeEventMessage, encodeEventStream } from '../scripted-upstream/event-stream.ts';

const BEDROCK = 32;
const POINT = NANO_POINTS_PER_POINT;
const NOVA = 'amazon.nova-lite-v1:0';
const CLAUDE = 'global.anthropic.claude-haiku-4-5-20251001-v1:0';
const account = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'sample-secret-access-key',
  sessionToken: '',
  region: 'eu-west-1',
  service: 'bedrock',
};
const KEY = `${account.region}|${account.accessKeyId}|${account.secretAccessKey}`;

interface Heard {
  path: string;
  body: Buffer;
  headers: IncomingMessage['headers'];
}

let scene: RelayScene;
let url: string;
let answer: (response: ServerResponse, received: Heard) => void;
const receivedRequests: Heard[] = [];
const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const call = { path: request.url ?? '', body: Buffer.concat(pieces), headers: request.headers };
    receivedRequests.push(call);
    answer(response, call);
  });
});

beforeAll(async () => {
  url = `http://127.0.0.1:${await listen(server)}`;
  scene = await startRelayScene();
  await scene.newChannel({ type: BEDROCK, base_url: url, key: KEY, models: [NOVA, CLAUDE] });
  const own = rates.parse({ input: POINT, output: 5 * POINT, cachedRead: POINT / 10, cacheWrite5m: 2 * POINT });
  for (const model of [NOVA, CLAUDE]) {
    const api = scene.admin.api(prices);
    if ((await api.all()).some((entry) => entry.model === model)) await api.remove({ params: { model } });
    await api.create({ body: { model, rates: own } });
  }
});
afterAll(async () => {
  await scene.waitUntilSettled();
  const { problems } = await verifyLedger(scene.ctx.db.reader);
  await scene.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  expect(problems).toEqual([]);
});
beforeEach(() => {
  receivedRequests.length = 0;
});

function streams(...parts: Buffer[]): void {
  answer = (response) => {
    response.writeHead(200, { 'content-type': EVENT_STREAM });
    for (const part of parts) response.write(part);
    response.end();
  };
}

/** Makes one call, and returns its records and the change of the balance. */
async function ask(model: string, more: Record<string, unknown> = {}) {
  const [before, known] = [await scene.balance(), (await scene.records()).length];
  const response = await scene.chat(model, { stream: true, stream_options: { include_usage: true }, ...more });
  const text = await response.text();
  await scene.waitUntilSettled();
  const records = (await scene.records()).slice(known);
  return { status: response.status, text, records, spent: before - (await scene.balance()) };
}

const usage = {
  inputTokens: 7,
  outputTokens: 11,
  totalTokens: 138,
  cacheReadInputTokens: 100,
  cacheWriteInputTokens: 20,
};
/** 7 + 100 / 10 + 20 * 2 + 11 * 5 */
const CHARGE = 112;
const begun = [
  { messageStart: { role: 'assistant' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Guten ' }, p: 'abcdefghij' } },
  { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'Morgen' } } },
];
const ended = [
  { contentBlockStop: { contentBlockIndex: 0 } },
  { messageStop: { stopReason: 'end_turn' } },
  { metadata: { usage, metrics: { latencyMs: 9 } } },
];

describe('a response by Converse', () => {
  it('reaches a client of Chat Completions as its stream, and is charged by what was reported', async () => {
    const bytes = encodeEventStream([...begun, ...ended]);
    streams(bytes.subarray(0, 50), bytes.subarray(50, 333), bytes.subarray(333));
    const { text, records, spent } = await ask(NOVA);
    const chunks = text.match(/^data: \{.*$/gm)?.map((line) => JSON.parse(line.slice(6))) ?? [];
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Guten Morgen');
    expect(chunks[0].model).toBe(NOVA);
    expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 127, completion_tokens: 11 });
    expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    expect(records).toMatchObject([{ quota: CHARGE, usage_source: 'reported', is_stream: 1 }]);
    expect(spent).toBe(CHARGE);
  });

  it('needs a request whose signature covers the body that is sent', async () => {
    streams(encodeEventStream([...begun, ...ended]));
    await ask(NOVA);
    const [{ path, body, headers } = { path: '', body: Buffer.alloc(0), headers: {} }] = receivedRequests;
    expect(path).toBe('/model/amazon.nova-lite-v1%3A0/converse-stream');
    const time = String(headers['x-amz-date']).replace(/(....)(..)(..T..)(..)(..)/, '$1-$2-$3:$4:$5');
    const call = { method: 'POST' as const, url: url + path, body };
    expect(headers.authorization).toBe(signAwsRequest(call, account, Date.parse(time)).authorization);
    expect(JSON.stringify(headers)).not.toContain(account.secretAccessKey);
  });

  it('contains everything without streaming', async () => {
    answer = (response) => {
      const content = [{ text: 'Guten Morgen' }];
      const json = { output: { message: { role: 'assistant', content } }, stopReason: 'end_turn', usage };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(json));
    };
    const { text, records, spent } = await ask(NOVA, { stream: false, stream_options: undefined });
    expect(JSON.parse(text)).toMatchObject({
      model: NOVA,
      choices: [{ message: { content: 'Guten Morgen' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 127, prompt_tokens_details: { cached_tokens: 100 } },
    });
    expect(records).toMatchObject([{ quota: CHARGE, usage_source: 'reported' }]);
    expect(spent).toBe(CHARGE);
  });

  it.each([
    ['an interruption', () => [encodeEventStream(begun), encodeEventStream(ended).subarray(0, 40)]],
    ['an end without the last event', () => [encodeEventStream(begun)]],
    ['damage', () => [encodeEventStream(begun), damaged(encodeEventStream(ended))]],
    ['an exception', () => [encodeEventStream([...begun, exception('modelStreamErrorException')])]],
    ['throttling', () => [encodeEventStream([...begun, exception('throttlingException')]), encodeEventStream(ended)]],
  ])('%s in the middle of a response ends in an error, and costs the delivered part', async (_, parts) => {
    streams(...parts());
    const { text, records, spent } = await ask(NOVA);
    expect(text).toContain('Guten ');
    expect(text).toMatch(/data: \{"error":/);
    expect(text).not.toContain('[DONE]');
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ type: 'consume', usage_source: expect.not.stringMatching(/^reported$/) });
    expect(spent).toBe(records[0]?.quota);
    // Some tokens of the prompt, and the two words.
    expect(spent).toBeGreaterThan(10);
    expect(spent).toBeLessThan(100);
    expect(receivedRequests).toHaveLength(1);
  });

  it('costs nothing if it begins with an exception', async () => {
    streams(encodeEventStream([exception('throttlingException')]));
    const { status, text, spent } = await ask(NOVA);
    expect(status).toBe(429);
    expect(text).toContain('error');
    expect(spent).toBe(0);
  });

  it('comes from the next channel if nothing was delivered', async () => {
    await scene.newChannel({
      type: BEDROCK,
      base_url: url,
      key: KEY,
      models: ['twice'],
      model_mapping: { twice: NOVA },
    });
    await scene.newChannel({
      type: BEDROCK,
      base_url: url,
      key: KEY,
      models: ['twice'],
      model_mapping: { twice: NOVA },
    });
    await scene.admin
      .api(prices)
      .create({ body: { model: 'twice', rates: rates.parse({ input: POINT, output: POINT }) } });
    answer = (response) => {
      response.writeHead(200, { 'content-type': EVENT_STREAM });
      response.end(
        receivedRequests.length === 1
          ? encodeEventStream([{ messageStart: { role: 'assistant' } }, exception('serviceUnavailableException')])
          : encodeEventStream([...begun, ...ended]),
      );
    };
    const { status, records, spent } = await ask('twice');
    expect(status).toBe(200);
    expect(receivedRequests).toHaveLength(2);
    expect(records).toMatchObject([{ type: 'consume', usage_source: 'reported' }]);
    expect(spent).toBe(records[0]?.quota);
  });
});

describe('a response by Claude', () => {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [] };
  const claude = [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 7, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Guten Morgen' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 11 } },
    { type: 'message_stop' },
  ];

  it('reaches a client of Messages as events, and is charged by what was reported', async () => {
    streams(Buffer.concat(claude.map((event) => encodeEventMessage({ chunk: event }))));
    const before = await scene.balance();
    const response = await scene.post('/v1/messages', {
      model: CLAUDE,
      max_tokens: 20,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    });
    const text = await response.text();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(text.match(/^event: .*$/gm)).toEqual(claude.map(({ type }) => `event: ${type}`));
    await scene.waitUntilSettled();
    expect(before - (await scene.balance())).toBe(7 + 11 * 5);
    expect(JSON.parse(String(receivedRequests[0]?.body))).not.toHaveProperty('model');
  });
});

function exception(type: string): Record<string, unknown> {
  return { [type]: { message: 'The model could not go on.' } };
}

/** Flips one bit. */
function damaged(bytes: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  changed[30] = (changed[30] ?? 0) ^ 1;
  return changed;
}
