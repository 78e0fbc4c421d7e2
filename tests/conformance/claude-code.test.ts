/** A tool loop of Claude Code through the official client, with an upstream that speaks only chat completions. */
import Anthropic from '@anthropic-ai/sdk';
import { type Exchange, findProvider, planExchange, readRequest } from '@switchyard/relay';
import { beforeAll, describe, expect, it } from 'vitest';

const USER_ID = `user_${'a'.repeat(64)}_account_${'b'.repeat(36)}_session_${'c'.repeat(36)}`;
const PICTURE = 'iVBORw0KGgo=';

const ephemeral = { type: 'ephemeral' } as const;

/** Constant part of the requests. */
const habits = {
  model: 'claude-sonnet-4-6',
  max_tokens: 32_000,
  system: [
    { type: 'text' as const, text: 'You are Claude Code.', cache_control: ephemeral },
    { type: 'text' as const, text: 'Be brief.', cache_control: ephemeral },
  ],
  tools: [
    { name: 'Read', description: 'Reads a file.', input_schema: { type: 'object' as const } },
    {
      name: 'Bash',
      description: 'Runs a command.',
      input_schema: { type: 'object' as const, properties: { command: { type: 'string' } } },
      cache_control: ephemeral,
    },
  ],
  thinking: { type: 'enabled' as const, budget_tokens: 31_999 },
  metadata: { user_id: USER_ID },
};

function chunk(delta: unknown, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }];
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'vendor-model', choices })}\n\n`;
}

function fragment(index: number, call: Record<string, unknown>): string {
  return chunk({ tool_calls: [{ index, ...call }] });
}

const usage = 'data: {"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":60}}\n\ndata: [DONE]\n\n';

const calling = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ reasoning_content: 'Two things ' }),
  chunk({ reasoning_content: 'to look at.' }),
  chunk({ reasoning_details: [{ type: 'reasoning.text', signature: 'vendor-proof' }] }),
  chunk({ content: 'Let me look.' }),
  fragment(0, { id: 'call_a', type: 'function', function: { name: 'Read', arguments: '' } }),
  fragment(1, { id: 'call_b', type: 'function', function: { name: 'Bash', arguments: '{"comm' } }),
  fragment(0, { function: { arguments: '{"path":"a.png"}' } }),
  fragment(1, { function: { arguments: 'and":"ls"}' } }),
  chunk({}, 'tool_calls'),
  usage,
].join('');

const answering = [chunk({ role: 'assistant', content: 'A bear.' }), chunk({}, 'stop'), usage].join('');

/** Sends one request of the client; the upstream's stream is the response, and its received request is kept. */
async function ask(
  messages: Anthropic.MessageParam[],
  upstream: string,
): Promise<{ message: Anthropic.Message; exchange: Exchange }> {
  const provider = findProvider('custom');
  if (provider === undefined) throw new Error('no provider custom');
  const exchanges: Exchange[] = [];
  const gateway = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const asked = new Request('https://gateway.test', init ?? {});
    const body = Buffer.from(await asked.arrayBuffer());
    const headers = Object.fromEntries(asked.headers);
    const request = readRequest({ operation: 'chat', format: 'anthropic-messages' }, body, headers);
    const exchange = planExchange(request, {
      provider,
      baseUrl: 'https://upstream.test',
      credentials: { key: 'secret-key' },
      options: { cacheMarks: 'on' },
      headers: {},
      model: 'vendor-model',
    });
    exchanges.push(exchange);
    const reader = exchange.readResponse();
    const bytes = Buffer.concat([reader.push(Buffer.from(upstream)), reader.end()]);
    return new Response(new Uint8Array(bytes), { headers: { 'content-type': reader.contentType } });
  };
  const client = new Anthropic({ apiKey: 'none', fetch: gateway, maxRetries: 0 });
  const options = { headers: { 'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14' } };
  const message = await client.messages.stream({ ...habits, messages }, options).finalMessage();
  const [exchange] = exchanges;
  if (exchange === undefined) throw new Error('nothing was asked');
  return { message, exchange };
}

describe('a tool loop of Claude Code over chat completions', () => {
  const question: Anthropic.MessageParam = {
    role: 'user',
    content: [
      { type: 'text', text: '<system-reminder>…</system-reminder>' },
      { type: 'text', text: 'What is in a.png?', cache_control: ephemeral },
    ],
  };
  let first: Awaited<ReturnType<typeof ask>>;
  let second: Awaited<ReturnType<typeof ask>>;

  beforeAll(async () => {
    first = await ask([question], calling);
    const results: Anthropic.ToolResultBlockParam[] = [
      {
        type: 'tool_result',
        tool_use_id: 'call_a',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PICTURE } }],
      },
      {
        type: 'tool_result',
        tool_use_id: 'call_b',
        content: 'ls: not found',
        is_error: true,
        cache_control: ephemeral,
      },
    ];
    const messages: Anthropic.MessageParam[] = [
      question,
      { role: 'assistant', content: first.message.content },
      { role: 'user', content: results },
    ];
    second = await ask(messages, answering);
  });

  it('sends the same to the upstream in its dialect, and names unsupported fields', () => {
    const body = JSON.parse(first.exchange.body.toString());
    expect(body).toMatchObject({
      model: 'vendor-model',
      max_tokens: 32_000,
      stream: true,
      reasoning_effort: 'high',
      tools: [{ function: { name: 'Read' } }, { function: { name: 'Bash' }, cache_control: ephemeral }],
      messages: [
        { role: 'system', content: [{ text: 'You are Claude Code.' }, { text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'text' }, { text: 'What is in a.png?', cache_control: ephemeral }] },
      ],
    });
    expect(first.exchange.dropped).toEqual(['metadata.user_id']);
    expect(first.exchange.headers.join()).not.toContain('claude-code-20250219');
  });

  it('returns thinking, text and both calls completely', () => {
    expect(first.message).toMatchObject({
      stop_reason: 'tool_use',
      usage: { input_tokens: 900, output_tokens: 60 },
      content: [
        {
          type: 'thinking',
          thinking: 'Two things to look at.',
          signature: 'switchyard.openai-chat.signature.vendor-proof',
        },
        { type: 'text', text: 'Let me look.' },
        { type: 'tool_use', id: 'call_a', name: 'Read', input: { path: 'a.png' } },
        { type: 'tool_use', id: 'call_b', name: 'Bash', input: { command: 'ls' } },
      ],
    });
  });

  it('sends back the thinking with its signature, the calls, and their results with image and error', () => {
    const { messages } = JSON.parse(second.exchange.body.toString());
    expect(messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Let me look.',
        reasoning_content: 'Two things to look at.',
        reasoning_details: [{ type: 'reasoning.text', text: 'Two things to look at.', signature: 'vendor-proof' }],
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'Read', arguments: '{"path":"a.png"}' } },
          { id: 'call_b', type: 'function', function: { name: 'Bash', arguments: '{"command":"ls"}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '[image, see below]' },
      {
        role: 'tool',
        tool_call_id: 'call_b',
        content: [{ type: 'text', text: 'Error: ls: not found', cache_control: ephemeral }],
      },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PICTURE}` } }] },
    ]);
    expect(second.message).toMatchObject({ stop_reason: 'end_turn', content: [{ type: 'text', text: 'A bear.' }] });
  });
});
