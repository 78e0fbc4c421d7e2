import { apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { requestChanges } from '@switchyard/contract/channels/channel-nested-settings';
import { channels } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import { ANTHROPIC, useRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';

const scene = await useRelayScene();

const strict = { unlimited_quota: true, setting: apiKeySetting.parse({ strict_translation: true }) };

describe('fields that a channel’s dialect doesn’t support', () => {
  it('omits unsupported fields and names them to the client and in the record', async () => {
    await scene.newChannel({ type: ANTHROPIC });
    const answer = await scene.chat('scripted', { seed: 7 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-switchyard-dropped')).toBe('seed');
    await scene.waitUntilSettled();
    const [record] = await scene.records();
    expect(JSON.parse(record?.detail ?? '')).toMatchObject({ dropped: ['seed'] });
  });

  it('refuses unsupported fields for a strict token and sends and charges nothing', async () => {
    await scene.newChannel({ type: ANTHROPIC });
    const key = await scene.newKey(strict);
    const before = await scene.balance();
    const answer = await scene.chat('scripted', { seed: 7 }, key);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'seed', type: 'invalid_request_error' } });
    await scene.waitUntilSettled();
    expect(scene.upstream.requests).toEqual([]);
    expect(await scene.balance()).toBe(before);
    expect((await scene.chat('scripted', {}, key)).status).toBe(200);
  });

  it('sends a strict token’s request to a channel that supports its fields', async () => {
    await scene.newChannel({ type: ANTHROPIC, priority: 10 });
    await scene.newChannel({ name: 'native' });
    const key = await scene.newKey(strict);
    const answer = await scene.chat('scripted', { seed: 7 }, key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-switchyard-dropped')).toBeNull();
    expect(scene.upstream.requests.map(({ json }) => json['seed'])).toEqual([7]);
    await scene.waitUntilSettled();
    const [record] = await scene.records();
    const { attempts } = JSON.parse(record?.detail ?? '') as { attempts: { outcome: string }[] };
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['untranslatable', 'answered']);
  });
});

describe('an upstream that answers with another model', () => {
  it.each([
    ['whole', '/v1/chat/completions', {}],
    ['streamed', '/v1/chat/completions', { stream: true }],
    ['translated', '/v1/messages', { stream: true }],
  ])('is found out, %s', async (_, path, more) => {
    const id = channelId.parse(await scene.newChannel({ models: ['scripted', 'scripted+smaller'] }));
    for (const model of ['scripted', 'scripted+smaller']) {
      const messages = [{ role: 'user', content: 'hi' }];
      // oxlint-disable-next-line no-await-in-loop -- their records are distinguished by their order
      await (await scene.post(path, { model, messages, max_tokens: 20, ...more })).text();
      // oxlint-disable-next-line no-await-in-loop -- as above
      await scene.waitUntilSettled();
    }
    const served = (await scene.records()).map(({ detail }) => JSON.parse(detail ?? '').attempts[0].served_model);
    expect(served).toEqual([undefined, 'scripted+smaller-mini']);
    const api = scene.admin.api(channels);
    const { models } = await api.health({ params: { id } });
    expect(models.map(({ served_model }) => served_model)).toEqual(['', 'scripted+smaller-mini']);
    const records = scene.admin.api(usageRecords);
    const query = { other_model: true, channel_id: id };
    const found = await records.list({ query });
    expect(found).toMatchObject({ total_count: 1, data: [{ model_name: 'scripted+smaller' }] });
    expect(await records.totals({ query })).toMatchObject({ requests: 1 });
    expect(
      (await records.list({ query: { log_type: 'consume', other_model: false, channel_id: id } })).total_count,
    ).toBe(2);
  });
});

const SERVED = 'asked-mini';
const message = (content: object[]) => ({
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: SERVED,
  content,
  usage: { input_tokens: 1, output_tokens: 1 },
});
const sse = (events: object[], isNamed: boolean) =>
  events
    .map(
      (event) =>
        `${isNamed && 'type' in event ? `event: ${String(event.type)}\n` : ''}data: ${JSON.stringify(event)}\n\n`,
    )
    .join('');
const anthropicEvents = [
  { type: 'message_start', message: message([]) },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
  { type: 'message_stop' },
];
const gemini = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  modelVersion: SERVED,
};
const GEMINI = 25;
const asAnthropic = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 9 };
const asGemini = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };

test.each([
  [
    'Anthropic, whole',
    ANTHROPIC,
    '/v1/messages',
    asAnthropic,
    JSON.stringify({ ...message([{ type: 'text', text: 'hi' }]), stop_reason: 'end_turn' }),
  ],
  ['Anthropic, streamed', ANTHROPIC, '/v1/messages', { ...asAnthropic, stream: true }, sse(anthropicEvents, true)],
  ['Gemini, whole', GEMINI, '/v1beta/models/asked:generateContent', asGemini, JSON.stringify(gemini)],
  ['Gemini, streamed', GEMINI, '/v1beta/models/asked:streamGenerateContent?alt=sse', asGemini, sse([gemini], false)],
])('another model is found out in the dialect of %s', async (_, type, path, body, text) => {
  const contentType = text.startsWith('{') ? 'application/json' : 'text/event-stream';
  const vendor = await startTestVendor({}, () => ({ text, headers: { 'content-type': contentType } }));
  onTestFinished(() => vendor.close());
  await scene.newChannel({ type, base_url: vendor.url, models: ['asked'] });
  const answer = await scene.post(path, type === GEMINI ? body : { ...body, model: 'asked' });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('hi')]);
  await scene.waitUntilSettled();
  const [record] = await scene.records();
  expect(JSON.parse(record?.detail ?? '').attempts[0].served_model).toBe(SERVED);
});

describe('what an operator changes in the requests of a channel', () => {
  it('reaches the upstream, and the client gets the kind of answer that it asked for', async () => {
    const request_changes = requestChanges.parse({
      streaming: 'never',
      system_as_user: true,
      bodies: [{ models: ['scripted'], defaults: { temperature: 0.2 }, remove: ['user'] }],
    });
    await scene.newChannel({ request_changes });
    const messages = [
      { role: 'system', content: 'be brief' },
      { role: 'user', content: 'hi' },
    ];
    const answer = await scene.chat('scripted', { stream: true, user: 'u', messages });
    expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(answer.headers.get('x-switchyard-dropped')).toBe('user');
    expect(await answer.text()).toMatch(/token9.*data: \[DONE\]\n\n$/s);
    expect(scene.upstream.requests.map(({ json }) => json)).toEqual([
      {
        model: 'scripted',
        stream: false,
        temperature: 0.2,
        messages: messages.map((message) => ({ ...message, role: 'user' })),
      },
    ]);
    await scene.waitUntilSettled();
    const [record] = await scene.records();
    expect(record).toMatchObject({ is_stream: 1, completion_tokens: 10, usage_source: 'reported' });
  });
});
