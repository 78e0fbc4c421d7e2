import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { requestChanges } from '@switchyard/contract/channels/channel-nested-settings';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { UpstreamError } from '@switchyard/relay';
import OpenAI from 'openai';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { sleep, systemTimers } from '../../platform/clock.ts';
import { NOON, startRelayScene, useRelayScene } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';
import { isPreviousResponseMissing } from './add-earlier-turns.ts';

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

/** Requests of a scripted vendor that stores responses. */
let requests: { account: string | undefined; json: Asked }[] = [];
let isCut = false;
/** Response of the vendor for a previous response that it no longer has. */
let lost: { status: number; error: Asked } | undefined;
const vendor = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const json = JSON.parse(Buffer.concat(chunks).toString()) as Asked;
    requests.push({ account: request.headers.authorization, json });
    if (lost !== undefined && json['previous_response_id'] !== undefined) {
      const { status, error } = lost;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
      return;
    }
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
      // The events written so far must reach the gateway before the cut.
      void sleep(systemTimers, 50).then(() => response.destroy());
      return;
    }
    say({ type: 'response.output_item.done', output_index: 0, item: thought });
    say({ type: 'response.output_item.done', output_index: 1, item: message });
    say({ type: 'response.completed', response: answer });
    response.end();
  });
});

const scene = await useRelayScene({ now: NOON });
const base = { type: OPENAI, base_url: `http://127.0.0.1:${await listen(vendor)}`, models: [model] };
let client: OpenAI;
beforeEach(() => {
  requests = [];
  isCut = false;
  lost = undefined;
  client = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
});
afterAll(async () => {
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
});

const first = { model, input: `My name is Ada. ${LONG}` };
const second = { model, input: 'What is my name?' };
const disable = (id: number) =>
  scene.admin.api(channels).update({ body: { id: channelId.parse(id), status: 'disabled' } });

describe('a conversation that its provider stores', () => {
  it('continues there by its id', async () => {
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    await client.responses.create({ ...second, previous_response_id: id });
    expect(requests[1]?.json).toEqual({ ...second, previous_response_id: id });
  });

  it('costs what the vendor reads of it, even if its response is interrupted', async () => {
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    isCut = true;
    const stream = await client.responses.create({ ...second, previous_response_id: id, stream: true });
    await expect(stream.toReadableStream().pipeTo(new WritableStream())).rejects.toThrow();
    await scene.waitUntilSettled();
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
    expect(requests[1]?.json).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(requests[1]?.json['input'])).toContain('My name is Ada.');
  });

  it('continues at another account without content that only the first one can read', async () => {
    const id = await scene.newChannel(base);
    const answer = await client.responses.create(first);
    await disable(id);
    await scene.newChannel({ ...base, key: 'sk-other' });
    await client.responses.create({ ...second, previous_response_id: answer.id });
    const { id: _id, ...response } = message;
    expect(requests[1]).toMatchObject({ account: 'Bearer sk-other' });
    expect(requests[1]?.json['input']).toEqual([
      { type: 'message', role: 'user', content: first.input },
      response,
      { type: 'message', role: 'user', content: second.input },
    ]);
  });

  it('sends the history when an administrator pins another channel', async () => {
    await scene.newChannel({ ...base, priority: 1 });
    const other = await scene.newChannel({ ...base, key: 'sk-other' });
    const key = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const as = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${scene.url}/v1`, maxRetries: 0 });
    const { id } = await as(key).responses.create(first);
    await as(`${key}#${other}`).responses.create({ ...second, previous_response_id: id });
    expect(requests[1]?.account).toBe('Bearer sk-other');
  });

  it('counts a continued conversation with all that the provider reads', async () => {
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    const other = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const count = (key: string) =>
      scene.post('/v1/responses/input_tokens', { ...second, previous_response_id: id }, { key });
    expect((await count(other)).status).toBe(400);
    expect(requests).toHaveLength(1);
    expect((await count(scene.key)).status).toBe(200);
  });
});

describe('a conversation that is larger than a request may be', () => {
  it('refuses a conversation larger than a request may be before it fills the memory', async () => {
    const small = await startRelayScene({ config: { relayBodyMaxBytes: 15_000 } });
    onTestFinished(() => small.close());
    await small.newChannel(base);
    const response = await small.post('/v1/responses', first);
    const { id } = (await response.json()) as { id: string };
    const next = await small.post('/v1/responses', { ...second, input: LONG, previous_response_id: id });
    expect(next.status).toBe(413);
    expect(requests).toHaveLength(1);
  });
});

describe('a conversation that its provider has lost', () => {
  const words = { message: "Previous response with id 'resp_x' not found.", param: 'previous_response_id' };
  const openai = { status: 400, error: { ...words, code: 'previous_response_not_found' } };
  const vllm = { status: 404, error: { message: "Response with id 'resp_x' not found.", code: 404 } };

  const lastOf = async (body: OpenAI.Responses.ResponseCreateParamsNonStreaming) => {
    const events = await client.responses.create({ ...body, stream: true });
    let last: OpenAI.Responses.Response | undefined;
    for await (const event of events) if (event.type === 'response.completed') last = event.response;
    return last;
  };

  it.each([
    { name: 'OpenAI', said: openai, stream: false },
    { name: 'OpenAI', said: openai, stream: true },
    { name: 'vLLM', said: vllm, stream: false },
  ])(
    'continues a stored response with the stored form $name (streamed: $stream)',
    async ({ said: response, stream }) => {
      const id = channelId.parse(await scene.newChannel(base));
      const { id: firstId } = await client.responses.create(first);
      lost = response;
      const going = { ...second, previous_response_id: firstId };
      const next = stream ? await lastOf(going) : await client.responses.create(going);
      expect(next?.output.at(-1)).toEqual(message);
      expect(requests.slice(1).map(({ json }) => json['previous_response_id'])).toEqual([firstId, undefined]);
      expect(requests[2]?.json['input']).toEqual([
        { type: 'message', role: 'user', content: first.input },
        { type: 'message', role: 'assistant', status: 'completed', content: message.content },
        { type: 'message', role: 'user', content: second.input },
      ]);

      await scene.waitUntilSettled();
      const records = await scene.records();
      expect(records.map(({ prompt_tokens: tokens }) => tokens)).toEqual([5, 5]);
      const { models } = await scene.admin.api(channels).health({ params: { id } });
      expect(models.every((known) => known.failures_in_row === 0 && known.breaker === 'closed')).toBe(true);

      // The vendor has it again, as a whole.
      lost = undefined;
      await client.responses.create({ ...second, previous_response_id: next?.id ?? '' });
      expect(requests.at(-1)?.json['previous_response_id']).toBe(next?.id);
    },
  );

  it('resends the history after the provider lost the conversation even without retries', async () => {
    await setOptions(scene.ctx, { RetryTimes: '0' });
    await scene.newChannel(base);
    const { id } = await client.responses.create(first);
    lost = openai;
    await client.responses.create({ ...second, previous_response_id: id });
    expect(requests).toHaveLength(3);
  });

  it('distinguishes a lost conversation from other errors of providers', () => {
    const hasError = (message: string, code?: string): boolean =>
      isPreviousResponseMissing(new UpstreamError('rejected', message, { status: 400, code }));
    expect(hasError('The model gpt-x does not exist', 'model_not_found')).toBe(false);
    expect(hasError('File with id file-1 not found')).toBe(false);
    expect(hasError('Previous response cannot be used for this organization due to Zero Data Retention.')).toBe(true);
  });
});
