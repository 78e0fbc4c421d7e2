import { describe, expect, it } from 'vitest';
import { HELD_BYTES_MAX } from '../errors/response-limits.ts';
import type { RequestChanges } from '../model/operator-body-changes.ts';
import type { Exchange } from '../model/upstream-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
const whole = {
  id: 'x',
  model: 'm',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'Hi', tool_calls: [call] }, finish_reason: 'tool_calls' },
  ],
  usage,
};
const chunks = [
  { id: 'x', model: 'm', choices: [{ index: 0, delta: { role: 'assistant', content: 'H' } }] },
  { id: 'x', model: 'm', choices: [{ index: 0, delta: { content: 'i' } }] },
  { id: 'x', model: 'm', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] },
  { id: 'x', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  { id: 'x', model: 'm', choices: [], usage },
];
const stream = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;

function plan(
  format: 'openai-chat' | 'anthropic-messages',
  wantsStream: boolean,
  streaming: RequestChanges['streaming'],
): { exchange: Exchange; sent: Record<string, unknown> } {
  const changes = { systemAsUser: false, streaming, bodies: [] };
  const request = sampleRequest(format, { max_tokens: 9, ...(wantsStream && { stream: true }) });
  const exchange = planExchange(request, sampleTarget('custom', { changes }));
  return { exchange, sent: JSON.parse(exchange.body.toString()) as Record<string, unknown> };
}

function answer(exchange: Exchange, body: string): string {
  const reader = exchange.readResponse();
  const bytes = Buffer.concat([reader.push(Buffer.from(body)), reader.end()]);
  expect(reader.meter.usage).toMatchObject({ input: 3, output: 2 });
  expect(reader.meter.finished).toBe(true);
  return bytes.toString();
}

describe('an upstream that cannot stream', () => {
  it.each(['openai-chat', 'anthropic-messages'] as const)(
    'is asked for a non-streaming response, which %s gets as a stream',
    (format) => {
      const { exchange, sent } = plan(format, true, 'never');
      expect(exchange.isStreaming).toBe(false);
      expect(sent['stream'] ?? false).toBe(false);
      expect(sent).not.toHaveProperty('stream_options');
      expect(exchange.readResponse().contentType).toMatch(/^text\/event-stream/);
      const text = answer(exchange, JSON.stringify(whole));
      expect(text).toContain(format === 'openai-chat' ? 'data: [DONE]' : 'event: message_stop');
      expect(text).toContain('Hi');
      expect(text).toContain('c1');
    },
  );
});

describe('an upstream that can only stream', () => {
  it('requests a stream with usage and returns a non-streaming response to the client', () => {
    const { exchange, sent } = plan('openai-chat', false, 'always');
    expect(exchange.isStreaming).toBe(true);
    expect(sent).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(exchange.readResponse().contentType).toBe('application/json');
    expect(JSON.parse(answer(exchange, stream))).toMatchObject({
      object: 'chat.completion',
      choices: [{ message: { content: 'Hi', tool_calls: [call] }, finish_reason: 'tool_calls' }],
      usage,
    });
  });

  it('requests a stream when the vendor requires it for the model', () => {
    const streams = (model: string, provider = 'ali') =>
      planExchange(sampleRequest('openai-chat'), sampleTarget(provider, { model })).isStreaming;
    expect(['qwq-plus', 'qvq-max', 'qwen3-omni-flash'].map((model) => streams(model))).toEqual([true, true, true]);
    expect([streams('qwen-plus'), streams('qwq-plus', 'custom')]).toEqual([false, false]);
  });

  it('collects the stream for a client of another dialect', () => {
    const { exchange } = plan('anthropic-messages', false, 'always');
    expect(JSON.parse(answer(exchange, stream))).toMatchObject({
      type: 'message',
      content: [
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', id: 'c1', input: { a: 1 } },
      ],
      stop_reason: 'tool_use',
    });
  });
});

describe('instructions as user messages', () => {
  const changes = { systemAsUser: true, streaming: 'as-asked' as const, bodies: [] };
  const sent = (format: 'openai-chat' | 'anthropic-messages', fields: object, provider: string) =>
    JSON.parse(planExchange(sampleRequest(format, { ...fields }), sampleTarget(provider, { changes })).body.toString());

  it('replace system messages in the same and in other dialects', () => {
    const chat = {
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'u' },
      ],
    };
    const roles = ({ messages }: { messages: { role: string }[] }) => messages.map(({ role }) => role);
    expect(roles(sent('openai-chat', chat, 'custom'))).toEqual(['user', 'user']);
    const message = { system: 's', messages: [{ role: 'user', content: 'u' }], max_tokens: 5 };
    expect(roles(sent('anthropic-messages', message, 'custom'))).toEqual(['user', 'user']);
    expect(sent('anthropic-messages', message, 'anthropic')).toMatchObject({
      messages: [
        { role: 'user', content: 's' },
        { role: 'user', content: 'u' },
      ],
    });
    expect(sent('anthropic-messages', message, 'anthropic')).not.toHaveProperty('system');
  });
});

describe('a collected stream', () => {
  it('aborts a collected stream when it exceeds the limit', () => {
    const reader = plan('openai-chat', false, 'always').exchange.readResponse();
    const chunk = { choices: [{ index: 0, delta: { content: 'x'.repeat(HELD_BYTES_MAX / 4) } }] };
    const bytes = Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
    for (let pieces = 0; pieces < 3; pieces++) reader.push(bytes);
    expect(() => reader.push(bytes)).toThrow('too large');
  });
});
