import { describe, expect, it } from 'vitest';
import { planExchange } from './plan-exchange.ts';
import { sampleRequest, sampleTarget } from './samples.ts';
import { argumentsText } from './tool-input.ts';

describe('the arguments of a call in a history', () => {
  it.each([
    ['{"a":1}', '{"a":1}'],
    [{ a: 1 }, '{"a":1}'],
    [{ id: 9007199254740993n }, '{"id":9007199254740993}'],
    ['', '{}'],
    [undefined, '{}'],
    [null, '{}'],
    [7, '{}'],
  ])('are text, whatever the client kept: %j', (kept, expected) => {
    expect(argumentsText(kept)).toBe(expected);
  });

  it.each(['anthropic', 'gemini', 'custom'])('reach %s as an object says them', (provider) => {
    const call = { call_id: 'c1', name: 'f', arguments: { city: 'Oslo' } };
    const input = [
      { role: 'user', content: 'x' },
      { type: 'function_call', ...call },
      { type: 'function_call_output', call_id: 'c1', output: 'ok' },
    ];
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: call }] },
      { role: 'tool', tool_call_id: 'c1', content: 'ok' },
    ];
    const target = sampleTarget(provider, { options: { api: 'responses' } });
    for (const request of [
      sampleRequest('openai-responses', { input }),
      sampleRequest('openai-chat', { messages }),
    ])
      expect(planExchange(request, target).body.toString()).toMatch(/\{\\?"city\\?":\s?\\?"Oslo\\?"\}/);
  });
});
