import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { objectOf } from '../json/json.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { findTargetFeatures } from './find-target-features.ts';

/** Returns the request that a target is sent. */
function sent(
  [provider, model]: readonly [string, string],
  format: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini',
  fields: Record<string, unknown>,
  options: Record<string, string> = {},
): { body: Record<string, unknown>; dropped: readonly string[]; url: string } {
  const target = sampleTarget(provider, { model, options });
  const { body, dropped, url } = planExchange(sampleRequest(format, { max_tokens: 50, ...fields }), target);
  return { body: { ...objectOf(JSON.parse(body.toString())) }, dropped, url };
}

/** Provider and model, the client's value, and the value sent to the target. */
const efforts: readonly (readonly [string, string, string, string | undefined])[] = [
  ['openai', 'gpt-5', 'max', 'high'],
  ['openai', 'gpt-5', 'xhigh', 'high'],
  ['openai', 'gpt-5', 'low', 'low'],
  ['openai', 'gpt-5-mini-2025-08-07', 'max', 'high'],
  ['openai', 'gpt-5.1', 'max', 'high'],
  ['openai', 'gpt-5.1', 'minimal', 'low'],
  ['openai', 'gpt-5.2', 'max', 'xhigh'],
  ['openai', 'gpt-5.4-mini', 'xhigh', 'xhigh'],
  ['openai', 'gpt-5.6', 'max', 'max'],
  ['openai', 'gpt-6', 'max', 'max'],
  ['openai', 'o3', 'max', 'high'],
  ['openai', 'o4-mini', 'xhigh', 'high'],
  ['openai', 'gpt-4.1', 'high', undefined],
  ['azure-v1', 'gpt-5.2', 'max', 'xhigh'],
  ['github', 'openai/gpt-5', 'max', 'high'],
  ['groq', 'openai/gpt-oss-120b', 'max', 'high'],
  ['groq', 'openai/gpt-oss-120b', 'minimal', 'low'],
  ['groq', 'qwen/qwen3-32b', 'high', 'default'],
  ['xai', 'grok-3-mini', 'medium', 'high'],
  ['xai', 'grok-4', 'high', undefined],
  ['xai', 'grok-4.5', 'max', 'high'],
  ['xai', 'grok-4.6', 'max', 'xhigh'],
  ['mistral', 'magistral-medium-latest', 'low', 'high'],
  ['deepseek', 'deepseek-flash', 'low', 'high'],
  ['deepseek', 'deepseek-flash', 'xhigh', 'max'],
  ['openrouter', 'openai/o1', 'xhigh', 'xhigh'],
  ['openai', 'GPT-5-mini', 'max', 'high'],
  ['openai', 'GPT-4o', 'high', undefined],
  ['openai', 'ft:gpt-4.1-mini-2025-04-14:team::a1', 'high', undefined],
  ['openai', 'ft:o4-mini-2025-04-16:team::a1', 'max', 'high'],
  ['github', 'openai/gpt-4o', 'high', undefined],
  ['groq', 'llama-3.3-70b-versatile', 'high', undefined],
  ['groq', 'moonshotai/kimi-k2-instruct', 'low', undefined],
  ['xai', 'grok-4.3', 'none', 'none'],
  ['xai', 'grok-4.3', 'max', 'high'],
  ['xai', 'grok-4.20', 'high', undefined],
  ['xai', 'grok-4.20-multi-agent', 'max', 'xhigh'],
  ['xai', 'grok-4-1-fast-reasoning', 'low', undefined],
  ['mistral', 'mistral-small-latest', 'low', 'high'],
  ['mistral', 'codestral-latest', 'high', undefined],
  ['mistral', 'mistral-large-2512', 'high', undefined],
  ['custom', 'gpt-5.2', 'max', 'xhigh'],
  ['custom', 'somebody-elses', 'max', 'max'],
];

describe('the reasoning effort', () => {
  it.each(efforts)('is sent to %s, %s, as the nearest value: %s is %s', (provider, model, said, expected) => {
    const { body, dropped } = sent([provider, model], 'openai-chat', { reasoning_effort: said });
    expect(body['reasoning_effort']).toBe(expected);
    expect(dropped.some((name) => name.startsWith('reasoning'))).toBe(expected === undefined);
  });

  it('uses the nearest word in every dialect', () => {
    const asked = { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } };
    expect(sent(['openai', 'gpt-5.2'], 'anthropic-messages', asked).body).toMatchObject({ reasoning_effort: 'xhigh' });
    expect(sent(['openai', 'o3-pro'], 'openai-responses', { reasoning: { effort: 'xhigh' } }).body).toMatchObject({
      reasoning: { effort: 'high' },
    });
  });

  it('leaves unknown words unchanged', () => {
    expect(sent(['openai', 'gpt-5'], 'openai-chat', { reasoning_effort: 'ultra' }).body).toMatchObject({
      reasoning_effort: 'ultra',
    });
  });

  it.each([
    ['claude-opus-4-6', 'xhigh', 'max'],
    ['claude-opus-4-6', 'minimal', 'low'],
    ['claude-opus-4-7', 'xhigh', 'xhigh'],
    ['claude-sonnet-5', 'max', 'max'],
  ])('is sent to %s as the nearest value: %s is %s', (model, said, expected) => {
    const { body } = sent(['anthropic', model], 'openai-chat', { reasoning_effort: said });
    expect(body['output_config']).toMatchObject({ effort: expected });
  });
});

const search = { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 2 }] };

describe('web search', () => {
  it.each(['anthropic-messages', 'openai-chat', 'gemini'] as const)(
    'uses Responses for %s if the model cannot search in Chat Completions',
    (format) => {
      const asked = {
        'anthropic-messages': { ...search, tool_choice: { type: 'tool', name: 'web_search' } },
        'openai-chat': { web_search_options: {} },
        gemini: { tools: [{ googleSearch: {} }] },
      }[format];
      const { body, url } = sent(['openai', 'gpt-4.1'], format, asked);
      expect(url).toMatch(/\/v1\/responses$/);
      expect(body['tools']).toEqual([{ type: 'web_search' }]);
      if (format === 'anthropic-messages') expect(body['tool_choice']).toEqual({ type: 'web_search' });
    },
  );

  it.each(['gpt-4o-search-preview', 'gpt-5-search-api'])('stays in Chat Completions for %s', (model) => {
    const { body, url } = sent(['openai', model], 'anthropic-messages', search);
    expect(url).toMatch(/chat\/completions$/);
    expect(body['web_search_options']).toEqual({});
  });

  it('removes and reports web search if the channel has no other dialect', () => {
    const choice = { tool_choice: { type: 'tool', name: 'web_search' } };
    const { body, dropped } = sent(['custom', 'm'], 'anthropic-messages', { ...search, ...choice });
    expect(body).not.toHaveProperty('web_search_options');
    expect(body).not.toHaveProperty('tool_choice');
    expect(dropped).toContain('tools.web_search');
  });

  it.each([
    ['mistral', 'mistral-large-latest', false],
    ['cerebras', 'gpt-oss-120b', false],
    ['github', 'openai/gpt-4o', false],
    ['openai', 'gpt-4o-search-preview', true],
    ['custom', 'some-model', true],
    ['openrouter', 'openai/gpt-5', true],
  ])('is sent to %s, %s, as the Chat Completions client wrote it: %s', (provider, model, isTaken) => {
    const { body, dropped } = sent([provider, model], 'openai-chat', { web_search_options: {} });
    expect('web_search_options' in body).toBe(isTaken);
    expect(dropped.includes('web_search_options')).toBe(!isTaken);
  });

  it.each(['vllm', 'ollama', 'lm-studio'])('is not requested from %s in any dialect', (provider) => {
    const { body, dropped } = sent([provider, 'm'], 'gemini', { tools: [{ googleSearch: {} }] });
    expect(JSON.stringify(body)).not.toContain('web_search');
    expect(dropped).toContain('tools.web_search');
  });
});

const mark = { cache_control: { type: 'ephemeral' } };
const marked = {
  system: [{ type: 'text', text: 'S', ...mark }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'x', ...mark }] }],
  tools: [{ name: 'w', input_schema: { type: 'object', properties: {} }, ...mark }],
};

describe('a cache mark', () => {
  it.each([
    ['openrouter', {}, true],
    ['ali', {}, true],
    ['one-api', { dialects: 'openai' }, true],
    ['custom', {}, false],
    ['custom', { cacheMarks: 'on' }, true],
    ['openai', {}, false],
    ['groq', {}, false],
    ['mistral', {}, false],
    ['together', {}, false],
  ])('of another dialect is sent to %s %j: %s', (provider, options, isTaken) => {
    const { body, dropped } = sent([provider, 'm'], 'anthropic-messages', marked, options);
    const written = JSON.stringify(body);
    expect(written.includes('cache_control')).toBe(isTaken || provider === 'openrouter');
    expect(dropped.includes('cache_control')).toBe(!isTaken);
  });

  it.each([
    ['custom', {}, true],
    ['custom', { cacheMarks: 'off' }, false],
    ['openai', {}, false],
    ['cerebras', {}, false],
    ['openrouter', {}, true],
  ])('in Chat Completions is sent to %s %j: %s', (provider, options, isTaken) => {
    const chat = {
      messages: [{ role: 'user', ...mark, content: [{ type: 'text', text: 'x', ...mark }] }],
      tools: [{ type: 'function', function: { name: 'f', ...mark }, ...mark }],
      ...mark,
    };
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' }, ...mark };
    const messages = [
      ...chat.messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok', ...mark },
    ];
    const { body, dropped } = sent([provider, 'm'], 'openai-chat', { ...chat, messages }, options);
    expect(JSON.stringify(body).match(/cache_control/g)?.length ?? 0).toBe(isTaken ? 7 : 0);
    expect(dropped.includes('cache_control')).toBe(!isTaken);
  });

  it('on a whole message moves to its last part', () => {
    const messages = [
      { role: 'system', content: 'S', ...mark },
      { role: 'user', content: 'x', ...mark },
    ];
    const { body } = sent(['anthropic', 'claude-sonnet-4-5'], 'openai-chat', { messages });
    expect(body['system']).toEqual([{ type: 'text', text: 'S', ...mark }]);
    expect(body['messages']).toEqual([{ role: 'user', content: [{ type: 'text', text: 'x', ...mark }] }]);
  });
});

describe('an instruction during a conversation', () => {
  const turns = [
    { role: 'user', content: 'hi' },
    { role: 'system', content: 'Agents: none.' },
    { role: 'user', content: 'go on' },
  ];
  const note = 'hi\n\n<system>\nAgents: none.\n</system>\n\ngo on';

  it.each([
    ['ali', 'qwen-plus'],
    ['siliconflow', 'Qwen/Qwen3-8B'],
    ['openrouter', 'qwen/qwen3-coder'],
    ['vllm', 'some-model'],
    ['sglang', 'some-model'],
    ['llama-cpp', 'some-model'],
    ['lm-studio', 'some-model'],
    ['ollama', 'some-model'],
    ['custom', 'some-model'],
  ] as const)('becomes a user note at %s, %s, in each dialect', (provider, model) => {
    for (const format of ['openai-chat', 'anthropic-messages'] as const) {
      const head = format === 'openai-chat' ? [{ role: 'system', content: 'Base.' }] : [];
      const { body } = sent([provider, model], format, {
        ...(format === 'anthropic-messages' && { system: 'Base.' }),
        messages: [...head, ...turns],
      });
      const said = objectOf(body)['messages'];
      expect(JSON.stringify(said)).not.toContain('"role":"system","content":"Agents');
      expect(JSON.stringify(said)).toContain(JSON.stringify(note).slice(1, -1));
    }
  });

  it.each([
    ['vllm', 'some-model'],
    ['lm-studio', 'some-model'],
  ] as const)('becomes a user note in Responses at %s, %s', (provider, model) => {
    const [asked, told, goOn] = turns;
    const input = [asked, { ...told, type: 'message', role: 'developer' }, goOn];
    const { body } = sent([provider, model], 'openai-responses', { instructions: 'Base.', input });
    expect(body).toMatchObject({ instructions: 'Base.', input: [{ role: 'user', content: note }] });
  });

  it('joins leading instructions into one message', () => {
    const { body } = sent(['vllm', 'some-model'], 'openai-chat', {
      messages: [
        { role: 'system', content: 'One.' },
        { role: 'developer', content: [{ type: 'text', text: 'Two.' }] },
        { role: 'system', content: 'Three.' },
        { role: 'user', content: 'hi' },
      ],
    });
    const parts = ['One.', 'Two.', 'Three.'].map((text) => ({ type: 'text', text }));
    expect(body['messages']).toEqual([
      { role: 'system', content: parts },
      { role: 'user', content: 'hi' },
    ]);
  });

  it('becomes a user note if the first instruction has an additional field', () => {
    const [, told, goOn] = turns;
    const { body } = sent(['vllm', 'some-model'], 'anthropic-messages', { system: 'Base.', messages: [told, goOn] });
    expect(body['messages']).toEqual([{ role: 'user', content: '<system>\nAgents: none.\n</system>\n\ngo on' }]);
  });

  it.each([
    ['openai', 'gpt-5.2'],
    ['deepseek', 'deepseek-flash'],
    ['zhipu', 'glm-4.7'],
  ] as const)('stays an instruction at %s, %s', (provider, model) => {
    const { body } = sent([provider, model], 'openai-chat', { messages: turns });
    expect(body['messages']).toEqual(turns);
  });
});

describe('a prefilled response', () => {
  const messages = [
    { role: 'user', content: 'Give JSON.' },
    { role: 'assistant', content: 'Step limit reached; answer now.' },
  ];

  it.each([
    ['claude-opus-4-6', {}, true],
    ['claude-sonnet-4-6', {}, true],
    ['claude-opus-4-8', {}, true],
    ['claude-sonnet-5', {}, true],
    ['claude-haiku-4-5', {}, false],
    ['claude-haiku-4-5', { reasoning_effort: 'low', max_tokens: 9_000 }, true],
    ['claude-3-5-haiku-latest', {}, false],
  ])('is followed by a user turn at %s %j: %s', (model, fields, isFollowed) => {
    const { body, dropped } = sent(['anthropic', model], 'openai-chat', { messages, ...fields });
    const said = body['messages'];
    expect(Array.isArray(said) ? objectOf(said.at(-1))['role'] : said).toBe(isFollowed ? 'user' : 'assistant');
    expect(dropped.includes('messages.prefill')).toBe(isFollowed);
  });

  it('marks a prefilled response at Mistral', () => {
    const { body } = sent(['mistral', 'm'], 'openai-chat', { messages });
    expect(body['messages']).toEqual([messages[0], { ...messages[1], prefix: true }]);
  });
});

const open = { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } };
const closed = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };

describe('a schema', () => {
  it.each(['openai', 'anthropic', 'gemini', 'cohere', 'groq', 'custom', 'bedrock'])(
    'of a tool without arguments becomes an object with properties at %s',
    (provider) => {
      const format = provider === 'anthropic' ? 'openai-chat' : 'anthropic-messages';
      const tools =
        format === 'openai-chat'
          ? [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
          : [{ name: 'f', input_schema: { type: 'object' } }];
      const { body } = sent([provider, 'some-model'], format, { tools });
      expect(JSON.stringify(body['tools'] ?? body['toolConfig'])).toContain('"type":"object","properties":{}');
    },
  );

  it.each([
    [closed, true, []],
    [open, false, ['tools.strict']],
    [{ ...closed, required: [] }, false, ['tools.strict']],
    [{ ...closed, properties: { n: { type: 'string', minLength: 2 } } }, false, ['tools.strict']],
  ])('of a strict tool is enforced at OpenAI if possible: %j', (schema, isStrict, expected) => {
    const tools = [{ name: 'f', strict: true, input_schema: schema }];
    const { body, dropped } = sent(['openai', 'gpt-4.1'], 'anthropic-messages', { tools });
    expect(body['tools']).toMatchObject([{ function: { strict: isStrict } }]);
    expect(dropped).toEqual(expected);
  });

  it('sends Claude a strict tool without limits, and reports them', () => {
    const tools = [{ type: 'function', function: { name: 'f', strict: true, parameters: open } }];
    const { body, dropped } = sent(['anthropic', 'claude-sonnet-4-5'], 'openai-chat', { tools });
    const n = { type: 'integer', description: '(minimum: 1)' };
    const schema = { type: 'object', properties: { n }, additionalProperties: false };
    expect(body['tools']).toEqual([{ name: 'f', strict: true, input_schema: schema }]);
    expect(dropped).toEqual(['tools.parameters.minimum']);
  });

  const answer = (schema: unknown, strict = true): Record<string, unknown> => ({
    response_format: { type: 'json_schema', json_schema: { name: 'o', strict, schema } },
  });

  it('reports the limits that Claude cannot enforce in a response', () => {
    const { dropped } = sent(['anthropic', 'claude-sonnet-4-5'], 'openai-chat', answer(open));
    expect(dropped).toEqual(['response_format.json_schema.minimum']);
  });

  it('becomes an instruction for Claude models without structured output', () => {
    const { body, dropped } = sent(['anthropic', 'claude-3-5-haiku-latest'], 'openai-chat', answer(closed));
    expect(body).not.toHaveProperty('output_config');
    expect(JSON.stringify(body['system'])).toContain('JSON Schema');
    expect(dropped).toEqual(['response_format.json_schema']);
  });

  it.each([
    ['gemini-2.5-flash', true],
    ['gemini-2.0-flash', true],
    ['gemini-3-pro-preview', false],
  ])('of a response beside functions becomes an instruction for %s: %s', (model, isTold) => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: closed } }];
    const { body, dropped } = sent(['gemini', model], 'openai-chat', { tools, ...answer(closed) });
    expect(JSON.stringify(body).includes('responseMimeType')).toBe(!isTold);
    expect(JSON.stringify(body['systemInstruction'] ?? '').includes('JSON Schema')).toBe(isTold);
    expect(dropped.includes('response_format')).toBe(isTold);
  });

  it.each([[{ type: 'array', items: { type: 'string' } }], [{ anyOf: [closed, { type: 'null' }], type: 'object' }]])(
    'of a response that is not an object becomes an instruction for OpenAI: %j',
    (schema) => {
      const asked = { output_config: { format: { type: 'json_schema', schema } } };
      const { body, dropped } = sent(['openai', 'gpt-4.1'], 'anthropic-messages', asked);
      expect(body).not.toHaveProperty('response_format');
      expect(JSON.stringify(body['messages'])).toContain('JSON Schema');
      expect(dropped).toEqual(['response_format.json_schema']);
    },
  );
});

describe('the output cap', () => {
  it.each([
    ['openai', 'gpt-4o', 'max_tokens', 16_384],
    ['openai', 'gpt-4.1', 'max_tokens', 32_768],
    ['openai', 'gpt-5.2', 'max_completion_tokens', 64_000],
    ['anthropic', 'claude-3-5-haiku-latest', 'max_tokens', 8_192],
    ['anthropic', 'claude-opus-4-1', 'max_tokens', 32_000],
    ['anthropic', 'claude-3.5-haiku', 'max_tokens', 8_192],
    ['anthropic', 'Claude-4-Opus-20250514', 'max_tokens', 32_000],
    ['anthropic', 'claude-opus-4-0', 'max_tokens', 32_000],
    ['anthropic', 'claude-opus-4.6', 'max_tokens', 64_000],
    ['anthropic', 'claude-instant-1.2', 'max_tokens', 4_096],
    ['openai', 'gpt-4o-2024-05-13', 'max_tokens', 4_096],
    ['openai', 'gpt-4.5-preview', 'max_tokens', 16_384],
    ['openai', 'ft:gpt-3.5-turbo-0125:team::a1', 'max_tokens', 4_096],
    ['custom', 'some-model', 'max_tokens', 64_000],
  ])('is limited to the maximum of %s, %s: %s %d', (provider, model, field, expected) => {
    const format = provider === 'anthropic' ? 'openai-chat' : 'anthropic-messages';
    expect(sent([provider, model], format, { max_tokens: 64_000 }).body[field]).toBe(expected);
  });
});

describe('target features', () => {
  it('returns the same object for the same target', () => {
    const target = sampleTarget('openai', { model: 'gpt-5' });
    expect(findTargetFeatures(target, 'openai-chat')).toBe(findTargetFeatures({ ...target }, 'openai-chat'));
  });
});
