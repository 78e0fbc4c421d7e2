import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { channels, requestChanges } from '@switchyard/contract/channels';
import { channelId } from '@switchyard/contract/ids';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { type RelayScene, startRelayScene } from '../testing/relay-scene.ts';

const OPENAI = 1;
const model = 'gpt-4o';
const LONG = 'word '.repeat(2_000);
const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'sealed' };
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello Ada.', annotations: [] }],
};

type Asked = Readonly<Record<string, unknown>>;

/** A vendor that keeps answers, unless it is told not to. */
let asked: { account: string | undefined; json: Asked }[] = [];
let isCut = false;
const vendor = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const json = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    asked.push({ account: request.headers.authorization, json });
    const answer = {
      id: `resp_${randomUUID()}`,
      object: 'response',
      status: 'completed',
      model,
      output: [thought, message],
      store: json['store'] !== false,
      usage: { input_tokens: 5, output_tokens: 3, total_tokens: 8 },
    };
    if (json['stream'] !== true) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (event: Asked): void => {
      response.write(`event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`);
    };
    say({ type: 'response.created', response: { ...answer, status: 'in_progress', output: [] } });
    say({ type: 'response.output_text.delta', item_id: 'msg_1', output_index: 1, delta: 'Hello Ada.' });
    if (isCut) {
      setTimeout(() => response.destroy(), 50);
      return;
    }
    say({ type: 'response.output_item.done', output_index: 0, item: thought });
    say({ type: 'response.output_item.done', output_index: 1, item: message });
    say({ type: 'response.completed', response: answer });
    response.end();
  });
});

let scene: RelayScene;
let client: OpenAI;
let base: { type: number; base_url: string; models: string[] };
beforeEach(async () => {
  asked = [];
  isCut = false;
  base = { type: OPENAI, base_url: `http://127.0.0.1:${await listen(vendor)}`, models: [model] };
  scene = await startRelayScene();
  client = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
});
afterEach(async () => {
  await scene.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
});

const first = { model, input: `My name is Ada. ${LONG}` };
const second = { model, input: 'What is my name?' };
const disable = (id: number) =>
  scene.admin.api(channels).update({ body: { id: channelId.parse(id), status: 'disabled' } });

describe('a conversation that its vendor keeps', () => {
  it('goes on there by its id', async () => {
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    await client.responses.create({ ...second, previous_response_id: id });
    expect(asked[1]?.json).toEqual({ ...second, previous_response_id: id });
  });

  it('costs what the vendor reads of it, also where its answer breaks off', async () => {
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    isCut = true;
    const stream = await client.responses.create({ ...second, previous_response_id: id, stream: true });
    await expect(stream.toReadableStream().pipeTo(new WritableStream())).rejects.toThrow();
    await scene.settled();
    expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'counted' });
    expect((await scene.records()).at(-1)?.prompt_tokens).toBeGreaterThan(2_000);
  });

  it.each([
    ['is told to keep nothing', { bodies: [{ set: { store: false } }] }],
    ['is asked for streams only, so that the id is ours', { streaming: 'always' as const }],
  ])('is sent whole to a channel that %s', async (_why, changes) => {
    await scene.newChannel({ ...base, request_changes: requestChanges.parse(changes) });
    const { id } = await client.responses.create(first);
    await client.responses.create({ ...second, previous_response_id: id });
    expect(asked[1]?.json).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(asked[1]?.json['input'])).toContain('My name is Ada.');
  });

  it('goes on at another account without what only the first one can read', async () => {
    const id = await scene.newChannel(base);
    const answer = await client.responses.create(first);
    await disable(id);
    await scene.newChannel({ ...base, key: 'sk-other' });
    await client.responses.create({ ...second, previous_response_id: answer.id });
    const { id: _id, ...said } = message;
    expect(asked[1]).toMatchObject({ account: 'Bearer sk-other' });
    expect(asked[1]?.json['input']).toEqual([
      { type: 'message', role: 'user', content: first.input },
      said,
      { type: 'message', role: 'user', content: second.input },
    ]);
  });

  it('is not sent elsewhere than to the channel that an administrator names', async () => {
    await scene.newChannel({ ...base, priority: 1 });
    const other = await scene.newChannel({ ...base, key: 'sk-other' });
    const key = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const as = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${scene.url}/v1`, maxRetries: 0 });
    const { id } = await as(key).responses.create(first);
    await as(`${key}#${other}`).responses.create({ ...second, previous_response_id: id });
    expect(asked[1]?.account).toBe('Bearer sk-other');
  });

  it('is counted with all that the vendor reads', async () => {
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    const other = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const count = (key: string) =>
      scene.post('/v1/responses/input_tokens', { ...second, previous_response_id: id }, { key });
    expect((await count(other)).status).toBe(400);
    expect(asked).toHaveLength(1);
    expect((await count(scene.key)).status).toBe(200);
  });
});

describe('a conversation that is larger than a request may be', () => {
  it('is refused before it fills the memory', async () => {
    await scene.close();
    scene = await startRelayScene({ config: { relayBodyMaxBytes: 15_000 } });
    await scene.newChannel(base);
    const said = await scene.post('/v1/responses', first);
    const { id } = (await said.json()) as { id: string };
    const next = await scene.post('/v1/responses', { ...second, input: LONG, previous_response_id: id });
    expect(next.status).toBe(413);
    expect(asked).toHaveLength(1);
  });
});
