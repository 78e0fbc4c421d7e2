import { describe, expect, it } from 'vitest';
import { canServe, planExchange } from '../exchange/plan-exchange.ts';
import { planTokenCount } from '../exchange/plan-token-count.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { formRequest, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

type Sample = readonly [format: Parameters<typeof sampleRequest>[0], fields: Record<string, unknown>];

const selfHosted = ['vllm', 'sglang', 'llama-cpp', 'lm-studio', 'ollama', 'localai', 'xinference'];
const anyServer = ['custom', 'one-api'];
const PRIVATE = 'http://10.0.0.5:8000';

const targetOf = (provider: string, changes: Partial<Target> = {}) =>
  sampleTarget(provider, { model: 'qwen3', baseUrl: PRIVATE, ...changes });

function plan(target: Target, [format, fields]: Sample): { body: Record<string, unknown>; dropped: readonly string[] } {
  const { body, dropped } = planExchange(sampleRequest(format, fields), target);
  return { body: JSON.parse(body.toString()), dropped };
}

function refusalOf(target: Target, sample: Sample): InvalidRequestError | undefined {
  try {
    plan(target, sample);
    return undefined;
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
}

const chat = (part: object): Record<string, unknown> => ({ messages: [{ role: 'user', content: [part] }] });
const contents = (part: object): Record<string, unknown> => ({ contents: [{ role: 'user', parts: [part] }] });
const input = (part: object): Record<string, unknown> => ({ input: [{ role: 'user', content: [part] }] });

const controls = {
  rid: 'a',
  request_id: 'a',
  priority: -1_000_000,
  lora_path: 'other-tenant',
  lora: [{ id: 1, scale: 1 }],
  adapter_id: 'other-tenant',
  id_slot: 0,
  session_params: { id: 'a' },
  kv_transfer_params: { remote_host: '10.0.0.6', do_remote_prefill: true },
  bootstrap_host: '10.0.0.6',
  custom_logit_processor: 'code',
  chat_template: '{% for i in range(1000000000) %}{% endfor %}',
  n_predict: 20_000,
  num_predict: 20_000,
  max_new_tokens: 20_000,
  options: { num_ctx: 1_000_000, num_predict: 20_000 },
  keep_alive: 0,
  data_parallel_rank: 1,
  vllm_xargs: { a: 1 },
  prompt_id: 'a',
  vector_store_ids: ['a'],
};

const anyControl = new RegExp(`"(?:${Object.keys(controls).join('|')})"`);

describe.each([...selfHosted, ...anyServer])('%s', (provider) => {
  it.each(['openai-chat', 'openai-completions'] as const)('gets no field of %s that controls the server', (format) => {
    const { body, dropped } = plan(targetOf(provider), [format, { max_tokens: 1, ...controls }]);
    expect(Object.keys(body).filter((field) => field in controls)).toEqual([]);
    expect(dropped).toEqual(expect.arrayContaining(Object.keys(controls)));
    expect(body['max_tokens']).toBe(1);
  });

  it.each([
    ...(['openai-embeddings', 'rerank', 'openai-speech', 'openai-images'] as const).map((format) =>
      sampleRequest(format, { image: undefined, ...controls }),
    ),
    formRequest('openai-transcription', {
      model: 'm',
      file: Buffer.from('a'),
      priority: '1',
      lora_path: 'other-tenant',
    }),
  ])('gets no such field in a request of $format either', (request) => {
    const target = targetOf(provider);
    if (!canServe(target, target.model, request)) return;
    expect(planExchange(request, target).body.toString()).not.toMatch(anyControl);
  });

  it.each(['openai-responses', 'anthropic-messages', 'gemini'] as const)(
    'counts tokens of %s without them',
    (format) => {
      const { body = '' } = planTokenCount(sampleRequest(format, controls), targetOf(provider)) ?? {};
      expect(body.toString()).not.toMatch(anyControl);
    },
  );

  it('gets the options of sampling, grammar and reasoning', () => {
    const options = {
      top_k: 20,
      min_p: 0.1,
      repetition_penalty: 1.1,
      stop_token_ids: [1],
      structured_outputs: { choice: ['a', 'b'] },
      guided_json: { type: 'object' },
      grammar: 'root ::= "a"',
      chat_template_kwargs: { enable_thinking: false },
    };
    const { body, dropped } = plan(targetOf(provider), ['openai-chat', options]);
    expect(body).toMatchObject(options);
    expect(dropped).toEqual([]);
  });

  const addresses = [
    'http://127.0.0.1:9200/a.png',
    'http://files.test/a.png',
    'file:///etc/passwd',
    '/etc/a.png',
    '../a.png',
  ];
  it.each(
    addresses.flatMap((url): Sample[] => [
      ['openai-chat', chat({ type: 'image_url', image_url: { url } })],
      ['openai-chat', chat({ type: 'image_url', image_url: url })],
      ['openai-chat', chat({ image_url: url })],
      ['openai-chat', chat({ type: 'video_url', video_url: { url } })],
      ['openai-chat', chat({ type: 'video', video: [url] })],
      ['openai-chat', chat({ type: 'audio_url', audio_url: { url } })],
      ['openai-chat', { messages: [{ role: 'user', content: 'Look.', images: [url] }] }],
      ['anthropic-messages', chat({ type: 'image', source: { type: 'url', url } })],
      ['openai-responses', input({ type: 'input_image', image_url: url })],
      ['openai-responses', input({ type: 'input_file', file_url: url })],
      ['gemini', contents({ fileData: { fileUri: url, mimeType: 'image/png' } })],
    ]),
  )('opens no address in a request of %s: %j', (format, fields) => {
    const target = targetOf(provider);
    const refusal = refusalOf(target, [format, fields]);
    // A translation that has no place for the file leaves it out.
    if (refusal === undefined)
      expect(JSON.stringify(plan(target, [format, fields]).body)).not.toMatch(/9200|files|etc|a\.png/);
    else expect(refusal.message).toMatch(/Send the file itself as a data: URL|not supported/);
  });

  it.each([
    ['openai-chat', chat({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } })],
    ['openai-chat', chat({ type: 'text', text: 'http://10.0.0.5/ is slow' })],
    ['openai-chat', { messages: [{ role: 'user', content: 'http://10.0.0.5/ is slow' }] }],
    ['openai-chat', chat({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } })],
    ['anthropic-messages', chat({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } })],
    ['anthropic-messages', chat({ type: 'text', text: 'file:///etc/passwd' })],
    ['openai-responses', { input: 'file:///etc/passwd' }],
    ['openai-responses', input({ type: 'input_image', image_url: 'data:image/png;base64,AAAA' })],
    ['gemini', contents({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })],
  ] as const)('takes files as data, and addresses as text, in a request of %s: %j', (format, fields) => {
    expect(refusalOf(targetOf(provider), [format, fields])).toBeUndefined();
  });

  it('gets addresses where the operator allows them', () => {
    const target = targetOf(provider, { options: { fileUrls: 'pass' } });
    const sample: Sample = ['openai-chat', chat({ type: 'image_url', image_url: { url: 'https://files.test/a.png' } })];
    expect(refusalOf(target, sample)).toBeUndefined();
  });

  it('calls no MCP server that the operator has configured', () => {
    const tools = [
      { type: 'mcp', server_label: 'a', server_url: 'litellm_proxy', require_approval: 'never' },
      { type: 'function', function: { name: 'f' } },
    ];
    const { body, dropped } = plan(targetOf(provider), ['openai-chat', { tools }]);
    expect(body['tools']).toEqual([tools[1]]);
    expect(dropped).toEqual(['tools.mcp']);
  });
});

const mcpTool = (url: string) => ({ type: 'mcp', server_label: 'a', server_url: url, require_approval: 'never' });
const mcpBodies = (url: string): Sample[] => [
  ['openai-chat', { tools: [mcpTool(url)] }],
  ['openai-responses', { tools: [mcpTool(url)] }],
  [
    'openai-responses',
    {
      input: [
        { role: 'user', content: 'a' },
        { type: 'additional_tools', tools: [mcpTool(url)] },
      ],
    },
  ],
  ['anthropic-messages', { max_tokens: 9, ...chat({ type: 'text', text: 'a' }), mcp_servers: [{ type: 'url', url }] }],
];
const textWithMcp = (provider: string, changes: Partial<Target>, [format, fields]: Sample) => {
  const api = format === 'openai-responses' ? 'responses' : 'chat';
  return JSON.stringify(plan(targetOf(provider, { options: { api }, ...changes }), [format, fields]).body);
};

describe.each(['custom', 'one-api', 'anthropic-compatible', 'vllm'])('%s', (provider) => {
  it.each([...mcpBodies('http://10.0.0.6/mcp'), ...mcpBodies('https://own.test/mcp')])(
    'calls no MCP server from the operator’s network in a request of %s: %j',
    (...sample) => {
      expect(textWithMcp(provider, {}, sample)).not.toMatch(/mcp"/);
    },
  );
});

it.each(mcpBodies('litellm_proxy/mcp'))(
  'a public name gets no configured MCP server in a request of %s: %j',
  (...sample) => {
    for (const provider of ['custom', 'one-api', 'anthropic-compatible'])
      expect(textWithMcp(provider, { baseUrl: 'https://api.vendor.example' }, sample)).not.toMatch(/litellm/);
  },
);

it('a vendor at a public name gets the MCP servers of clients', () => {
  const [, , , messages] = mcpBodies('https://own.test/mcp');
  if (messages === undefined) throw new Error('there is no sample');
  const target = targetOf('anthropic-compatible', { baseUrl: 'https://api.vendor.example' });
  expect(plan(target, messages)).toMatchObject({
    body: { mcp_servers: [{ url: 'https://own.test/mcp' }] },
    dropped: [],
  });
});

it.each(anyServer)('%s passes on addresses and fields of its own to a vendor at a public name', (provider) => {
  const target = targetOf(provider, { baseUrl: 'https://api.vendor.example/openai' });
  const image = { type: 'image_url', image_url: { url: 'https://files.example/a.png' } };
  const { body } = plan(target, ['openai-chat', { ...chat(image), enable_search: true }]);
  expect(body).toMatchObject({ ...chat(image), enable_search: true });
});

it('a custom channel with the Anthropic dialect gets addresses and fields of control as one with another dialect', () => {
  const source = { type: 'url', url: 'http://10.0.0.6/a.png' };
  const image: Sample = ['anthropic-messages', { max_tokens: 9, ...chat({ type: 'image', source }) }];
  const own = targetOf('anthropic-compatible');
  expect(refusalOf(own, image)).toMatchObject({ param: 'messages.content.source.url' });
  expect(refusalOf({ ...own, options: { fileUrls: 'pass' } }, image)).toBeUndefined();
  expect(refusalOf({ ...own, baseUrl: 'https://api.vendor.example' }, image)).toBeUndefined();
  const text: Sample = ['anthropic-messages', { max_tokens: 9, ...chat({ type: 'text', text: 'hi' }), ...controls }];
  expect(plan(own, text).body).not.toHaveProperty('rid');
  expect(plan(own, text).dropped).toEqual(expect.arrayContaining(['rid', 'priority', 'n_predict']));
});

it.each(['http://localhost:8000', 'http://vllm:8000', 'http://gpu.internal', 'http://192.168.1.5', 'http://[fd00::5]'])(
  'any server at %s is in the operator’s network',
  (baseUrl) => {
    const sample: Sample = ['openai-chat', chat({ type: 'image_url', image_url: { url: 'https://files.test/a.png' } })];
    expect(refusalOf(targetOf('custom', { baseUrl }), sample)).toMatchObject({
      param: 'messages.content.image_url.url',
    });
  },
);

it.each([
  ['openai-embeddings', { input: [{ image: 'http://10.0.0.6/a.png' }] }],
  ['rerank', { query: 'a', documents: [{ content: [{ type: 'image_url', image_url: { url: '/etc/a.png' } }] }] }],
] as const)('vLLM opens no address in a request of %s: %j', (format, fields) => {
  expect(refusalOf(targetOf('vllm'), [format, fields])).toBeInstanceOf(InvalidRequestError);
});

it('removes thousands of fields within milliseconds', () => {
  const fields = Object.fromEntries(Array.from({ length: 9_000 }, (_, nth) => [`field_${nth}`, nth]));
  const request = sampleRequest('openai-chat', fields);
  const readCpuMs = startCpuTimer();
  expect(JSON.parse(planExchange(request, targetOf('vllm')).body.toString())).not.toHaveProperty('field_0');
  expect(readCpuMs()).toBeLessThan(200);
});
