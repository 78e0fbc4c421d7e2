import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { responsesOnly, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const deepObject = `{"a":${deep}}`;

function toolCall(text: string, type = 'message'): string {
  const call = `{"index":0,"id":"c","function":{"name":"f","arguments":${text}}}`;
  return `{"choices":[{"index":0,"${type}":{"tool_calls":[${call}]},"finish_reason":"tool_calls"}]}`;
}

function readWhole(format: DialectId, provider: string, body: string): string {
  const reader = planExchange(sampleRequest(format), sampleTarget(provider)).readResponse();
  reader.push(Buffer.from(body));
  return reader.end().toString();
}

describe('deeply nested JSON', () => {
  const request = (...texts: string[]) =>
    sampleRequest('openai-chat', {
      messages: [
        { role: 'user', content: 'hi' },
        ...texts.map((text, index) => ({
          role: 'assistant',
          tool_calls: [{ id: `c${index}`, type: 'function', function: { name: 'f', arguments: text } }],
        })),
        { role: 'assistant', function_call: { name: 'f', arguments: '{}' } },
      ],
    });

  it.each([[[deep]], [[deepObject]], [['{}', deepObject]]])(
    'in the arguments of a request’s tool call is refused %#',
    (texts) => {
      const plan = (): unknown => planExchange(request(...texts), sampleTarget('anthropic'));
      expect(plan).toThrow(InvalidRequestError);
      expect(plan).toThrow('with the arguments of its tool calls, is nested deeper than 64 levels');
    },
  );

  it('refuses a request whose tool calls have too many objects together', () => {
    const wide = `{"a":[${'{},'.repeat(40_000)}{}]}`;
    expect(() => planExchange(request(wide, wide, wide), sampleTarget('anthropic'))).toThrow('100,000 objects');
    expect(() => planExchange(request(wide, wide), sampleTarget('anthropic'))).not.toThrow();
  });

  it('forwards deeply nested arguments in a response as raw text', () => {
    for (const text of [deep, deepObject]) {
      const answer = readWhole('anthropic-messages', 'custom', toolCall(JSON.stringify(text)));
      expect(JSON.parse(answer).content[0].input).toEqual({ _raw: text });
    }
  });

  it('forwards a response that nothing needs to serialize', () => {
    const answer = `{"choices":[{"message":{"content":"a","details":${deep}},"finish_reason":"stop"}]}`;
    expect(readWhole('openai-chat', 'custom', answer)).toBe(answer);
  });

  it('rejects a response with a deeply nested object as too large', () => {
    const input = `{"content":[{"type":"tool_use","id":"c","name":"f","input":${deepObject}}]}`;
    const garbled = expect.objectContaining({ kind: 'garbled', isTooLarge: true });
    expect(() => readWhole('openai-chat', 'anthropic', input)).toThrow(garbled);
    expect(() => readWhole('anthropic-messages', 'custom', toolCall(deepObject))).toThrow(garbled);
    const call = `{"output":[{"type":"function_call","call_id":"c","name":"f","arguments":${deepObject}}]}`;
    const reader = planExchange(sampleRequest('openai-chat'), responsesOnly()).readResponse();
    reader.push(Buffer.from(call));
    expect(() => reader.end()).toThrow(garbled);
    const candidate = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deepObject}}}]}}]}`;
    expect(() => readWhole('openai-chat', 'gemini', candidate)).toThrow(garbled);
  });

  it.each([
    ['anthropic-messages', 'custom', `data: ${toolCall(deepObject, 'delta')}\n\n`],
    [
      'anthropic-messages',
      'gemini',
      `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${deepObject}}}]}}]}\n\n`,
    ],
    [
      'openai-chat',
      'anthropic',
      `data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":${deepObject}}}\n\n`,
    ],
  ] as const)('in a stream for %s from %s is garbled', (format, provider, event) => {
    const reader = planExchange(sampleRequest(format, { stream: true }), sampleTarget(provider)).readResponse();
    expect(() => reader.push(Buffer.from(event))).toThrow(expect.objectContaining({ kind: 'garbled' }));
  });

  it('reads an error only to a limited depth', () => {
    const error = `data: {"error":${'{"error":'.repeat(20_000)}1${'}'.repeat(20_000)}}\n\n`;
    for (const provider of ['custom', 'anthropic', 'gemini']) {
      const reader = planExchange(
        sampleRequest('openai-chat', { stream: true }),
        sampleTarget(provider),
      ).readResponse();
      expect(reader.push(Buffer.from(error)).length).toBe(0);
      expect(() => reader.end()).toThrow(UpstreamError);
    }
  });
});
