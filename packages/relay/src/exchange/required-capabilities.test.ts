import { describe, expect, it } from 'vitest';
import { sampleRequest } from '../testing/sample-requests.ts';
import { enablesReasoning, requiredCapabilities } from './required-capabilities.ts';

const user = (content: unknown) => ({ role: 'user', content });

describe('the required capabilities', () => {
  it.each([
    [{}, []],
    [{ stream: true }, ['streaming']],
    [{ tools: [{}] }, ['tools']],
    [{ messages: [user([{ type: 'image_url', image_url: { url: 'https://a/b.png' } }])] }, ['images']],
    [{ response_format: { type: 'json_schema', json_schema: {} } }, ['structured-output']],
    [{ response_format: { type: 'text' } }, []],
    [{ reasoning_effort: 'high' }, ['reasoning']],
    [{ reasoning_effort: 'none' }, []],
    [{ reasoning: { max_tokens: 2048 } }, ['reasoning']],
    [{ reasoning: { enabled: false } }, []],
    [{ reasoning_effort: 'high', reasoning: { effort: 'none' } }, ['reasoning']],
    [{ reasoning_effort: 'high', thinking: { type: 'disabled' } }, ['reasoning']],
  ])('are read from an OpenAI request %j', (body, expected) => {
    expect([...requiredCapabilities(sampleRequest('openai-chat', body))]).toEqual(expected);
  });

  it.each([
    [{ messages: [user([{ type: 'image', source: {} }])] }, ['images']],
    [{ thinking: { type: 'enabled', budget_tokens: 2048 } }, ['reasoning']],
    [{ thinking: { type: 'adaptive' } }, ['reasoning']],
    [{ thinking: { type: 'disabled', budget_tokens: 2048 } }, []],
    [{ thinking: { type: 'enabled', budget_tokens: 0 } }, []],
    [{ output_config: { format: { type: 'json_schema', schema: {} } } }, ['structured-output']],
  ])('are read from an Anthropic request %j', (body, expected) => {
    expect([...requiredCapabilities(sampleRequest('anthropic-messages', body))]).toEqual(expected);
  });

  it.each([
    [{ input: 'hi' }, []],
    [{ input: [user([{ type: 'input_image', image_url: 'https://a/b.png' }])] }, ['images']],
    [
      { input: [{ type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: 'x' }] }] },
      ['images'],
    ],
    [{ input: [{ type: 'image_generation_call', result: 'QQ==' }] }, ['images']],
    [{ tools: [{ type: 'web_search' }] }, ['tools']],
    [{ text: { format: { type: 'json_schema', name: 'n', schema: {} } } }, ['structured-output']],
    [{ text: { format: { type: 'text' }, verbosity: 'low' } }, []],
    [{ reasoning: { effort: 'high' } }, ['reasoning']],
    [{ reasoning: { effort: 'none' } }, []],
  ])('are read from a Responses request %j', (body, expected) => {
    expect([...requiredCapabilities(sampleRequest('openai-responses', body))]).toEqual(expected);
  });

  it.each([
    [{ contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'A' } }] }] }, ['images']],
    [{ contents: [{ parts: [{ file_data: { mime_type: 'image/png', file_uri: 'x' } }] }] }, ['images']],
    [{ contents: [{ parts: [{ inlineData: { mimeType: 'audio/wav', data: 'A' } }] }] }, []],
    [{ generationConfig: { thinkingConfig: { thinkingLevel: 'LOW' } } }, ['reasoning']],
    [{ generation_config: { thinking_config: { thinking_budget: 0 } } }, []],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: 0, thinkingLevel: 'LOW' } } }, ['reasoning']],
    [{ generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }, ['reasoning']],
    [{ generationConfig: { responseMimeType: 'application/json' } }, ['structured-output']],
  ])('are read from a Gemini request %j', (body, expected) => {
    expect([...requiredCapabilities(sampleRequest('gemini', body))]).toEqual(expected);
  });

  it('tolerate content of any shape', () => {
    const hostile = { messages: [null, 1, { content: [null, 5] }], thinking: 'x', response_format: [] };
    expect([...requiredCapabilities(sampleRequest('openai-chat', hostile))]).toEqual([]);
  });
});

describe('reasoning', () => {
  const budget = { type: 'enabled', budget_tokens: 20_000 };

  it.each([
    ['openai-chat', 'claude-sonnet-4-5', { thinking: budget }],
    ['openai-chat', 'claude-sonnet-4-5', { extra_body: { extra_body: { thinking: budget } } }],
    ['openai-chat', 'anthropic/claude-sonnet-4.5', { providerOptions: { anthropic: { thinking: budget } } }],
    ['openai-chat', 'claude-sonnet-4-5', { thinking_budget: 20_000 }],
    ['openai-chat', 'claude-sonnet-4-5', { enable_thinking: true }],
    ['anthropic-messages', 'claude-opus-5', {}],
    ['anthropic-messages', 'claude-opus-5', { reasoning_effort: 'none', reasoning: { effort: 'none' } }],
    ['anthropic-messages', 'claude-sonnet-4-5', { thinking: { type: 'adaptive', enabled: false } }],
    ['openai-chat', 'claude-opus-5', { thinking: { type: 'disabled' } }],
  ] as const)('is expected in %s from %s with %j', (format, model, body) => {
    expect(enablesReasoning(body, model, format)).toBe(true);
  });

  it.each([
    ['openai-chat', 'claude-sonnet-4-5', {}],
    ['openai-chat', 'claude-sonnet-4-5', { extra_body: { thinking: { type: 'disabled' } }, thinking_budget: 0 }],
    ['anthropic-messages', 'claude-opus-5', { thinking: { type: 'disabled' } }],
  ] as const)('is not expected in %s from %s with %j', (format, model, body) => {
    expect(enablesReasoning(body, model, format)).toBe(false);
  });
});
