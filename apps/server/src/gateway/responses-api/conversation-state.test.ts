import { createServer } from 'node:http';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import OpenAI from 'openai';
import { beforeEach, describe, expect, it } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { ANTHROPIC, useRelayScene } from '../../testing/relay-scene.ts';
import { setOptions } from '../../testing/set-options.ts';

const scene = await useRelayScene();
let client: OpenAI;
beforeEach(async () => {
  await scene.newChannel({ type: ANTHROPIC });
  client = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
});

const model = 'scripted';
const first = { model, input: 'My name is Ada.' };
const second = { model, input: 'What is my name?' };
const ANSWER = 'token0 token1 token2 token3 token4 token5 token6 token7 token8 token9';

describe('a conversation continued by the id of a response', () => {
  it.each([false, true])('reaches a model that keeps nothing with all of its turns (streamed: %s)', async (stream) => {
    const answer = stream ? await client.responses.stream(first).finalResponse() : await client.responses.create(first);
    const next = await client.responses.create({ ...second, previous_response_id: answer.id });
    expect(next.previous_response_id).toBe(answer.id);
    await client.responses.create({ ...second, previous_response_id: next.id });
    expect(scene.upstream.requests.at(-1)?.json['messages']).toMatchObject([
      { role: 'user', content: [{ text: 'My name is Ada.' }] },
      { role: 'assistant', content: [{ text: ANSWER }] },
      { role: 'user', content: [{ text: 'What is my name?' }] },
      { role: 'assistant', content: [{ text: ANSWER }] },
      { role: 'user', content: [{ text: 'What is my name?' }] },
    ]);
  });

  it('charges a continued conversation for all of its turns', async () => {
    const answer = await client.responses.create(first);
    const next = await client.responses.create({ ...second, previous_response_id: answer.id });
    expect(next.usage?.input_tokens).toBe(4 + 10 + 4);
    await scene.waitUntilSettled();
    expect((await scene.records()).map(({ prompt_tokens: tokens }) => tokens)).toEqual([4, 18]);
  });

  it.each(['nobody’s', 'another user’s', 'an unstored'])('refuses to continue %s response', async (whose) => {
    const other = await scene.newKey({ unlimited_quota: true }, scene.admin);
    const asking = new OpenAI({ apiKey: other, baseURL: `${scene.url}/v1`, maxRetries: 0 });
    const own = await client.responses.create({ ...first, store: whose !== 'an unstored' });
    const from = whose === 'another user’s' ? asking : client;
    const id = whose === 'nobody’s' ? 'resp_nobody' : own.id;
    const call = from.responses.create({ ...second, previous_response_id: id });
    await expect(call).rejects.toMatchObject({ status: 400, code: 'previous_response_not_found' });
    expect(scene.upstream.requests).toHaveLength(1);
  });

  it('refuses to continue a conversation when responses aren’t stored', async () => {
    await setOptions(scene.ctx, { StoredResponseHours: '0' });
    const answer = await client.responses.create(first);
    const call = client.responses.create({ ...second, previous_response_id: answer.id });
    await expect(call).rejects.toMatchObject({ code: 'previous_response_not_found' });
  });
});

it('a repeated request gets the same response, even if its previous response is gone', async () => {
  const answer = await client.responses.create(first);
  const again = { headers: { 'idempotency-key': 'one' } };
  const next = await client.responses.create({ ...second, previous_response_id: answer.id }, again);
  await client.responses.delete(answer.id);
  const repeated = await client.responses.create({ ...second, previous_response_id: answer.id }, again);
  expect(repeated.id).toBe(next.id);
  expect(scene.upstream.requests).toHaveLength(2);
});

describe('a stored response', () => {
  it('returns a stored response and its input items until it is deleted', async () => {
    const answer = await client.responses.create(first);
    const next = await client.responses.create({ ...second, previous_response_id: answer.id });
    expect((await client.responses.retrieve(answer.id)).output).toEqual(answer.output);
    const shown = await client.responses.inputItems.list(next.id, { order: 'asc' });
    expect(shown.data).toMatchObject([
      { role: 'user', content: 'My name is Ada.' },
      { role: 'assistant' },
      { role: 'user', content: 'What is my name?' },
    ]);
    const page = await client.responses.inputItems.list(next.id, { limit: 2 });
    expect(page.data).toHaveLength(2);
    expect(page.has_more).toBe(true);
    await client.responses.delete(answer.id);
    await expect(client.responses.retrieve(answer.id)).rejects.toMatchObject({ status: 404 });
    await expect(client.responses.delete(answer.id)).rejects.toMatchObject({ status: 404 });
  });

  it('hides a stored response from a token that has been disabled', async () => {
    const own = scene.user.api(apiKeys);
    const { id: keyId, key } = await own.create({ body: { name: 'revoked', unlimited_quota: true } });
    const { id } = await client.responses.create(first);
    await own.update({ body: { id: keyId, status: 'disabled' } });
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/input_items'],
      ['DELETE', ''],
    ] as const) {
      const answer = await fetch(`${scene.url}/v1/responses/${id}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(401);
    }
    expect((await client.responses.retrieve(id)).id).toBe(id);
  });

  it('hides a stored response from other users', async () => {
    const { id } = await client.responses.create(first);
    const key = await scene.newKey({ unlimited_quota: true }, scene.admin);
    for (const method of ['GET', 'DELETE']) {
      const answer = await fetch(`${scene.url}/v1/responses/${id}`, {
        method,
        headers: { authorization: `Bearer ${key}` },
      });
      expect(answer.status).toBe(404);
    }
    expect((await fetch(`${scene.url}/v1/responses/${id}`)).status).toBe(401);
  });
});

describe('a conversation that a provider stores', () => {
  const OPENAI = 1;
  /** OpenAI's answers, by hand: the scripted upstream keeps nothing. */
  async function startVendor() {
    const requests: { method: string; path: string; json: Record<string, unknown> }[] = [];
    const vendor = { text: 'Hello.' };
    const server = createServer(async (request, response) => {
      const pieces: Buffer[] = [];
      for await (const piece of request) pieces.push(Buffer.from(piece));
      const text = Buffer.concat(pieces).toString();
      const json = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      requests.push({ method: request.method ?? '', path: request.url ?? '', json });
      const content = [{ type: 'output_text', text: vendor.text, annotations: [] }];
      const output = [{ type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content }];
      const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };
      const id = `resp_vendor${requests.length}`;
      const answer = { id, object: 'response', status: 'completed', model: 'gpt', error: null, output, usage };
      if (json['stream'] !== true) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (let at = 0; at < vendor.text.length; at += 1_000) {
        const delta = { type: 'response.output_text.delta', delta: vendor.text.slice(at, at + 1_000) };
        response.write(`data: ${JSON.stringify({ ...delta, obfuscation: 'x'.repeat(4_000) })}\n\n`);
      }
      response.end(`data: ${JSON.stringify({ type: 'response.completed', response: answer })}\n\n`);
    });
    const url = `http://127.0.0.1:${await listen(server)}`;
    return Object.assign(vendor, { url, asked: requests, close: () => server.close() });
  }

  it('goes back to it untouched, elsewhere with its turns once it is gone, and is deleted there, too', async () => {
    const vendor = await startVendor();
    const channel = { type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' };
    const id = await scene.newChannel(channel);
    const kept = { ...first, model: 'gpt-kept' };
    const answer = await client.responses.create(kept);
    await client.responses.create({ ...kept, previous_response_id: answer.id });
    expect(vendor.asked.map(({ json }) => json['previous_response_id'])).toEqual([undefined, answer.id]);

    await scene.admin.api(channels).update({ body: { id: channelId.parse(id), status: 'disabled' } });
    await scene.newChannel({ type: ANTHROPIC, models: ['gpt-kept'] });
    await client.responses.create({ ...kept, previous_response_id: answer.id });
    expect(scene.upstream.requests.at(-1)?.json['messages']).toHaveLength(3);

    await scene.admin.api(channels).update({ body: { id: channelId.parse(id), status: 'enabled' } });
    await client.responses.delete(answer.id);
    await expect.poll(() => vendor.asked.at(-1)?.method).toBe('DELETE');
    expect(vendor.asked.at(-1)?.path).toBe(`/v1/responses/${answer.id}`);
    vendor.close();
  });

  it.each([false, true])('reports a response that is too large to be stored (streamed: %s)', async (stream) => {
    const vendor = await startVendor();
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' });
    vendor.text = 'word '.repeat(900_000);
    const answer = await scene.post('/v1/responses', { ...first, model: 'gpt-kept', stream });
    expect(await answer.text()).toContain('resp_vendor1');
    expect(answer.headers.get('x-switchyard-dropped')).toBe(stream ? null : 'store');
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)?.detail).toContain('"dropped":["store"]');
    await expect(client.responses.retrieve('resp_vendor1')).rejects.toMatchObject({ status: 404 });
    vendor.close();
  });

  it('stores a response by its final event, however large its other events are', async () => {
    const vendor = await startVendor();
    await scene.newChannel({ type: OPENAI, base_url: vendor.url, models: ['gpt-kept'], key: 'sk-v' });
    vendor.text = 'word '.repeat(200_000);
    const answer = await scene.post('/v1/responses', { ...first, model: 'gpt-kept', stream: true });
    expect((await answer.text()).length).toBeGreaterThan(5_000_000);
    const stored = await client.responses.retrieve('resp_vendor1');
    expect(stored.output[0]).toMatchObject({ content: [{ text: vendor.text }] });
    await scene.waitUntilSettled();
    expect((await scene.records()).at(-1)?.detail).not.toContain('"dropped":["store"]');
    vendor.close();
  });
});
