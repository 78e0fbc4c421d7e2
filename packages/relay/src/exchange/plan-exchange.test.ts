import { describe, expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { findProvider, providers } from '../providers.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { rawRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { canServe, planExchange } from './plan-exchange.ts';

function headersOf(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : [])));
}

const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'c',
  usage: { input_tokens: 1, output_tokens: 1 },
};
const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
const stop = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } };
const streamed = [{ type: 'message_start', message }, block, delta, stop, { type: 'message_stop' }];
const whole = { ...message, content: [{ type: 'text', text: 'a' }], stop_reason: 'end_turn' };

const answers = [
  ['events', true, streamed.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')],
  ['a response', false, JSON.stringify(whole)],
] as const;

it.each(answers)(
  'serializes what %s of Responses repeat once, while the request is planned',
  (_what, stream, answer) => {
    let count = 0;
    const toJSON = (): object => {
      count += 1;
      return { a: 'b' };
    };
    const { json, ...rest } = sampleRequest('openai-responses', { stream });
    const request = { ...rest, json: { ...json, metadata: { toJSON } } };
    const exchange = planExchange(request, sampleTarget('anthropic'));
    expect(count).toBe(1);
    const reader = exchange.readResponse();
    const written = Buffer.concat([reader.push(Buffer.from(answer)), reader.end()]).toString();
    expect(written.match(/"metadata":\{"a":"b"\}/g)).toHaveLength(stream ? 3 : 1);
    expect(count).toBe(1);
  },
);

it.each(answers)('writes %s that repeat megabytes of instructions in milliseconds', (_what, stream, answer) => {
  const request = sampleRequest('openai-responses', { stream, instructions: 'a\n"b" '.repeat(600_000) });
  const cpuMs = [1, 2, 3].map(() => {
    const reader = planExchange({ ...request, json: { ...request.json } }, sampleTarget('anthropic')).readResponse();
    const readCpuMs = startCpuTimer();
    reader.push(Buffer.from(answer));
    reader.end();
    return readCpuMs();
  });
  expect(Math.min(...cpuMs)).toBeLessThan(stream ? 30 : 10);
});

describe('planExchange', () => {
  it('sends the client’s own bytes if nothing changes', () => {
    const request = sampleRequest('openai-chat', { temperature: 1 });
    expect(planExchange(request, sampleTarget('custom')).body).toBe(request.body);
  });

  it('changes only the model when the channel maps it', () => {
    const request = rawRequest('openai-chat', '{"messages":[{"model":"x"}], "model" : "a","seed":1.0}');
    const { body } = planExchange(request, sampleTarget('custom', { model: 'b' }));
    expect(body.toString()).toBe('{"messages":[{"model":"x"}], "model" : "b","seed":1.0}');
  });

  it('requests usage for streams and keeps the client’s other stream options', () => {
    const request = sampleRequest('openai-chat', { stream: true, stream_options: { include_obfuscation: false } });
    const { body } = planExchange(request, sampleTarget('custom'));
    expect(JSON.parse(body.toString()).stream_options).toEqual({ include_obfuscation: false, include_usage: true });
  });

  it('leaves a stream request with usage unchanged', () => {
    const request = sampleRequest('openai-chat', { stream: true, stream_options: { include_usage: true } });
    expect(planExchange(request, sampleTarget('custom')).body).toBe(request.body);
  });

  it('sends OpenAI’s reasoning models only supported fields, and reports the others', () => {
    const request = sampleRequest('openai-chat', { temperature: 0.2, max_tokens: 9, top_p: null });
    const { body, dropped } = planExchange(request, sampleTarget('openai', { model: 'o4-mini' }));
    expect(JSON.parse(body.toString())).toEqual({
      model: 'o4-mini',
      messages: [{ role: 'user', content: 'hi' }],
      max_completion_tokens: 9,
    });
    expect(dropped).toEqual(['temperature']);
  });

  it.each(['gpt-4o', 'gpt-5-chat-latest', 'gpt-3.5-turbo'])('keeps the sampling parameters of %s', (model) => {
    const request = sampleRequest('openai-chat', { model, temperature: 0.2, max_tokens: 9 });
    expect(planExchange(request, sampleTarget('openai', { model })).body).toBe(request.body);
  });

  it('sends no effort to OpenAI’s models without reasoning', () => {
    const request = sampleRequest('anthropic-messages', { thinking: { type: 'enabled', budget_tokens: 2_000 } });
    const { body, dropped } = planExchange(request, sampleTarget('openai', { model: 'gpt-4o' }));
    expect(JSON.parse(body.toString())).not.toHaveProperty('reasoning_effort');
    expect(dropped).toEqual(['reasoning_effort']);
    const reasoning = planExchange(request, sampleTarget('openai', { model: 'o4-mini' }));
    expect(JSON.parse(reasoning.body.toString())).toMatchObject({ reasoning_effort: 'medium' });
  });

  it('treats reasoning models alike in Responses', () => {
    const fields = { temperature: 0.2, top_p: 1, max_output_tokens: 99, reasoning: { effort: 'low' } };
    const { body, dropped } = planExchange(
      sampleRequest('openai-responses', fields),
      sampleTarget('openai', { model: 'gpt-5' }),
    );
    expect(JSON.parse(body.toString())).toEqual({
      model: 'gpt-5',
      input: 'hi',
      max_output_tokens: 99,
      reasoning: { effort: 'low' },
    });
    expect(dropped).toEqual(['temperature', 'top_p']);
    const free = sampleRequest('openai-responses', {
      model: 'gpt-5.1',
      temperature: 0.2,
      reasoning: { effort: 'none' },
    });
    expect(planExchange(free, sampleTarget('openai', { model: 'gpt-5.1' })).body).toBe(free.body);
  });

  it('requests no encrypted reasoning from models without it in Responses', () => {
    const fields = { reasoning: { effort: 'low' }, include: ['reasoning.encrypted_content', 'x'], temperature: 1 };
    const { body, dropped } = planExchange(
      sampleRequest('openai-responses', fields),
      sampleTarget('openai', { model: 'gpt-4o' }),
    );
    expect(JSON.parse(body.toString())).toEqual({ model: 'gpt-4o', input: 'hi', include: ['x'], temperature: 1 });
    expect(dropped).toEqual(['reasoning']);
  });

  it.each([
    ['openai', 'https://api.openai.com/v1/responses'],
    ['azure', 'https://upstream.test/openai/v1/responses'],
  ])('sends the bytes of a Responses request to %s unchanged', (provider, url) => {
    const request = sampleRequest('openai-responses', { previous_response_id: 'resp_1', store: true });
    const exchange = planExchange(request, sampleTarget(provider));
    expect(exchange).toMatchObject({ url, dropped: [] });
    expect(exchange.body).toBe(request.body);
  });

  it('refuses vendor-only contents of Responses for another dialect', () => {
    const request = sampleRequest('openai-responses', { previous_response_id: 'resp_1' });
    expect(() => planExchange(request, sampleTarget('custom'))).toThrow(
      expect.objectContaining({ param: 'previous_response_id' }),
    );
  });

  it.each([
    ['openai-responses', 'openai', { background: true, service_tier: 'flex' }],
    ['openai-chat', 'openai', { service_tier: 'priority' }],
    ['openai-chat', 'openai', { service_tier: 'flex' }],
    ['openai-completions', 'openai', { service_tier: 'priority' }],
    ['openai-embeddings', 'custom', { provider: { sort: 'throughput' } }],
    ['openai-chat', 'custom', { models: ['expensive'], plugins: [{ id: 'web' }] }],
    ['openai-chat', 'custom', { headers: { 'X-Vertex-AI-LLM-Shared-Request-Type': 'priority' } }],
    ['anthropic-messages', 'anthropic', { speed: 'fast' }],
    ['openai-chat', 'anthropic', { service_tier: 'priority' }],
  ] as const)(
    'prevents a client of %s from choosing a more expensive service of %s: %o',
    (format, provider, fields) => {
      const { body, dropped } = planExchange(sampleRequest(format, { ...fields, seed: 7 }), sampleTarget(provider));
      for (const field of Object.keys(fields)) expect(JSON.parse(body.toString())).not.toHaveProperty(field);
      expect(dropped).toEqual(expect.arrayContaining(Object.keys(fields)));
    },
  );

  it('allows the list price’s service in the client’s bytes', () => {
    const fields = { service_tier: 'default', speed: 'standard', inference_geo: 'global', models: null };
    for (const format of ['openai-chat', 'anthropic-messages'] as const) {
      const request = sampleRequest(format, fields);
      const { body, dropped } = planExchange(request, sampleTarget(format === 'openai-chat' ? 'openai' : 'anthropic'));
      expect(body).toBe(request.body);
      expect(dropped).toEqual([]);
    }
  });

  it('translates for another dialect and reports unsupported fields', () => {
    const request = sampleRequest('openai-chat', { seed: 7, n: 1, logit_bias: { a: 1 } });
    const { url, body, dropped } = planExchange(request, sampleTarget('anthropic'));
    expect(url).toBe('https://api.anthropic.com/v1/messages');
    expect(JSON.parse(body.toString())).toMatchObject({ model: 'vendor-model', max_tokens: expect.any(Number) });
    expect(dropped).toEqual(['logit_bias', 'seed']);
  });

  it('prefers the operator’s headers, but never to the credentials or the connection', () => {
    const headers = { 'X-Api-Key': 'other', 'Anthropic-Version': '2030-01-01', Host: 'evil', 'x-own': '1' };
    const request = rawRequest('anthropic-messages', sampleRequest('anthropic-messages').body.toString(), {
      'anthropic-beta': 'b1',
      'anthropic-version': '2024-01-01',
    });
    expect(headersOf(planExchange(request, sampleTarget('anthropic', { headers })).headers)).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'anthropic-version': '2030-01-01',
      'anthropic-beta': 'b1',
      'x-own': '1',
      'x-api-key': 'sample-secret-key',
    });
  });

  it('refuses an operation that the vendor does not support', () => {
    const anthropic = sampleTarget('anthropic');
    expect(canServe(anthropic, 'any', { operation: 'embeddings', format: 'openai-embeddings' })).toBe(false);
    expect(() => planExchange(sampleRequest('openai-embeddings'), anthropic)).toThrow(InvalidRequestError);
  });
});

describe('upstream URLs', () => {
  it.each([
    ['custom', 'https://a.test', 'https://a.test/v1/chat/completions'],
    ['custom', 'https://a.test/', 'https://a.test/v1/chat/completions'],
    ['custom', 'https://a.test/v1', 'https://a.test/v1/chat/completions'],
    ['custom', 'https://a.test/v1beta', 'https://a.test/v1beta/v1/chat/completions'],
    ['groq', 'https://a.test/openai/v1', 'https://a.test/openai/v1/chat/completions'],
    ['ali', 'https://a.test/compatible-mode/v1', 'https://a.test/compatible-mode/v1/chat/completions'],
    ['ali', 'https://a.test/compatible-mode', 'https://a.test/compatible-mode/v1/chat/completions'],
    ['zhipu', 'https://a.test/api/coding/paas/v4', 'https://a.test/api/coding/paas/v4/chat/completions'],
    ['custom', 'https://a.test/proxy/v1/', 'https://a.test/proxy/v1/chat/completions'],
    [
      'azure',
      'https://r.openai.azure.com',
      'https://r.openai.azure.com/openai/deployments/my%20model/chat/completions?api-version=2024-10-21',
    ],
  ])('of %s are %s', (provider, baseUrl, url) => {
    const target = sampleTarget(provider, { baseUrl, model: 'my model' });
    expect(planExchange(sampleRequest('openai-chat'), target).url).toBe(url);
  });

  it.each([
    ['https://a.test', 'https://a.test/anthropic/v1/messages'],
    ['https://a.test/v1', 'https://a.test/anthropic/v1/messages'],
    ['https://a.test/anthropic', 'https://a.test/anthropic/v1/messages'],
  ])('of a second dialect are at %s', (baseUrl, url) => {
    const target = sampleTarget('deepseek', { baseUrl });
    expect(planExchange(sampleRequest('anthropic-messages'), target).url).toBe(url);
  });

  it('never contain a credential', () => {
    const formats = [
      'openai-chat',
      'openai-embeddings',
      'rerank',
      'openai-images',
      'openai-speech',
      'suno',
      'openai-videos',
    ] as const;
    for (const provider of providers) {
      const target = sampleTarget(provider.id, { model: provider.testModel ?? 'vendor-model' });
      const request = formats.map((format) => sampleRequest(format)).find((asked) => canServe(target, 'any', asked));
      if (request === undefined) throw new Error(`${provider.id} serves none of them`);
      expect(planExchange(request, target).url).not.toContain('sample-secret-key');
    }
  });
});

describe('providers', () => {
  it('have unique ids and channel types', () => {
    expect(new Set(providers.map(({ id }) => id)).size).toBe(providers.length);
    expect(new Set(providers.map(({ channelType }) => channelType)).size).toBe(providers.length);
  });

  it('finds providers by id', () => {
    expect(findProvider('azure')?.channelType).toBe(3);
    expect(findProvider('nobody')).toBeUndefined();
  });

  it('have a base URL without the version of their paths, or one per account', () => {
    const addresses = providers.flatMap(({ baseUrl }) => baseUrl ?? []);
    expect(addresses.length).toBeLessThan(providers.length);
    expect(addresses.filter((address) => !/^https:\/\/(?!.*\/v1$).*[^/]$/.test(address))).toEqual([]);
  });
});
