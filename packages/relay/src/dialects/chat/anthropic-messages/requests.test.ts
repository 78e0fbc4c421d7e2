import { describe, expect, it } from 'vitest';
import type { Conversation, Part } from '../../../model/conversation.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { decodeRequest } from './decoders/decode-request.ts';
import { encodeRequest } from './encoders/encode-request.ts';

const call = { type: 'tool-call', callId: 'call_1', name: 'f', arguments: '{"a":1}' } as const;
const result = { type: 'tool-result', callId: 'call_1', content: [{ type: 'text', text: 'ok' }] } as const;
const signed = {
  type: 'reasoning',
  text: 'hm',
  signature: { origin: 'anthropic-messages', kind: 'signature', value: 'sig' },
} as const;
const asked: Conversation['turns'][number] = { role: 'user', parts: [{ type: 'text', text: 'hi' }] };

const audio = { type: 'audio', source: { mediaType: 'audio/wav', base64: 'AAAA' } } as const;

function encode(
  fields: Partial<Conversation>,
  model = 'claude-sonnet-4-5',
): { body: Record<string, unknown>; dropped: string[] } {
  const dropped: string[] = [];
  const base = { system: [], turns: [asked], tools: [], vendorTools: [], unsupported: [] };
  return { body: encodeRequest({ ...base, ...fields }, { model, stream: false }, dropped), dropped };
}

function loop(...thoughts: Part[]): Conversation['turns'] {
  return [
    asked,
    { role: 'assistant', parts: [...thoughts, call] },
    { role: 'user', parts: [{ ...result, content: [] }] },
  ];
}

describe('decoding a messages request', () => {
  it('reads blocks, tools and settings', () => {
    const decoded = decodeRequest({
      model: 'm',
      max_tokens: 10,
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'bad', is_error: true }] },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      stop_sequences: ['x'],
      metadata: { user_id: 'u' },
    });
    expect(decoded).toMatchObject({
      system: [{ text: 's', cache: '5m' }],
      turns: [
        { parts: [{ type: 'image', source: { url: 'https://a.test/b.png' } }] },
        { parts: [signed, { type: 'tool-call', callId: 't', arguments: '{"a":1}' }] },
        { parts: [{ type: 'tool-result', isError: true, content: [{ text: 'bad' }] }] },
      ],
      tools: [{ name: 'f', parameters: { type: 'object' } }],
      toolChoice: { type: 'required' },
      parallelToolCalls: false,
      reasoning: { budgetTokens: 2_000 },
      stop: ['x'],
      userId: 'u',
      unsupported: [],
    });
  });

  it('reports tools that run only at the vendor', () => {
    const { unsupported } = decodeRequest({
      messages: [{ role: 'user', content: [{ type: 'search_result', content: [] }] }],
      tools: [{ type: 'computer_20250124', name: 'computer' }],
      container: 'c',
      mcp_servers: [],
      cache_control: { type: 'ephemeral' },
    });
    expect(unsupported).toEqual([
      'container',
      'mcp_servers',
      'cache_control',
      'messages.content.search_result',
      'tools.computer_20250124',
    ]);
  });

  it.each([
    [[{ role: 'robot', content: 'x' }]],
    [['x']],
    [[{ role: 'assistant', content: [{ type: 'tool_use', id: 'c' }] }]],
    [[{ role: 'user', content: [{ type: 'tool_use', id: 'c', name: 'f' }] }]],
  ])('refuses %o', (messages) => {
    expect(() => decodeRequest({ messages })).toThrow(InvalidRequestError);
  });
});

describe('encoding a messages request', () => {
  it('always sets an output cap, within the model’s maximum', () => {
    expect(encode({}).body['max_tokens']).toBe(16_384);
    expect(encode({}, 'claude-3-haiku-20240307').body['max_tokens']).toBe(4_096);
    expect(encode({ maxOutputTokens: 7 }).body['max_tokens']).toBe(7);
  });

  it('starts with the user, puts results first in the next turn, and omits empty text', () => {
    const { body } = encode({
      turns: [
        { role: 'assistant', parts: [call, { ...call, callId: 'call:2' }, { type: 'text', text: ' ' }] },
        { role: 'user', parts: [{ type: 'text', text: 'also' }] },
        { role: 'user', parts: [{ ...result, content: [...result.content] }] },
      ],
    });
    expect(body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', input: { a: 1 } }, { id: 'call_2' }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_1', content: [{ text: 'ok' }] },
          { type: 'tool_result', tool_use_id: 'call_2', is_error: true },
          { type: 'text', text: 'also' },
        ],
      },
    ]);
  });

  it('trims white space at the end of a prefilled response', () => {
    const { body } = encode({ turns: [asked, { role: 'assistant', parts: [{ type: 'text', text: 'So \n' }] }] });
    expect(body['messages']).toMatchObject([{}, { content: [{ text: 'So' }] }]);
  });

  it('fills an empty user turn, and omits empty instructions and assistant turns', () => {
    const blank: Part = { type: 'text', text: ' \n' };
    const { body } = encode({
      system: [{ type: 'text', text: ' ' }],
      turns: [
        { role: 'user', parts: [] },
        { role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] },
        { role: 'user', parts: [blank] },
        { role: 'assistant', parts: [blank] },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: '.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'user', content: [{ type: 'text', text: '.' }] },
    ]);
    expect(body).not.toHaveProperty('system');
  });

  it('keeps invalid arguments under a name that marks them', () => {
    const { body } = encode({ turns: [asked, { role: 'assistant', parts: [{ ...call, arguments: '{"cut' }] }] });
    expect(body['messages']).toMatchObject([{}, { content: [{ input: { _raw: '{"cut' } }] }, {}]);
  });

  it('returns signed thoughts only', () => {
    const { body, dropped } = encode({ turns: loop({ type: 'reasoning', text: 'unsigned' }, signed) });
    expect(body['messages']).toMatchObject([
      {},
      { content: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }, { type: 'tool_use' }] },
      {},
    ]);
    expect(dropped).toEqual(['messages.reasoning_content']);
  });

  it('forces tools in the dialect’s form, and keeps them if none may be called', () => {
    const tools = [{ name: 'f', parameters: undefined }];
    expect(encode({ tools, toolChoice: { type: 'required' } }).body['tool_choice']).toEqual({ type: 'any' });
    expect(encode({ tools, parallelToolCalls: false }).body['tool_choice']).toEqual({
      type: 'auto',
      disable_parallel_tool_use: true,
    });
    expect(encode({ tools, toolChoice: { type: 'none' } }).body).toMatchObject({
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('declares the tools of the history when the client omits them', () => {
    expect(encode({ turns: loop() }).body).toMatchObject({
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      tool_choice: { type: 'none' },
    });
  });

  it('requests JSON by a schema if there is one, else by an instruction', () => {
    const schema = { type: 'object' };
    expect(encode({ outputFormat: { type: 'json-schema', name: 'n', schema } }).body['output_config']).toEqual({
      format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
    });
    expect(JSON.stringify(encode({ outputFormat: { type: 'json' } }).body['system'])).toContain('JSON');
  });

  it('limits the temperature, and sends it or top_p', () => {
    const { body, dropped } = encode({ temperature: 1.7, topP: 0.5, topK: 3 });
    expect(body).toMatchObject({ temperature: 1, top_k: 3 });
    expect(body).not.toHaveProperty('top_p');
    expect(dropped).toEqual(['top_p']);
  });

  it('removes sampling parameters for models that refuse them', () => {
    const { body, dropped } = encode({ temperature: 0.1 }, 'claude-opus-4-8');
    expect(body).not.toHaveProperty('temperature');
    expect(dropped).toEqual(['temperature']);
  });

  it('reports fields that the dialect lacks', () => {
    const { dropped } = encode({
      seed: 1,
      presencePenalty: 1,
      frequencyPenalty: 1,
      logprobs: 0,
      choices: 2,
      verbosity: 'low',
      outputKinds: ['text', 'audio'],
      speech: { voice: 'v' },
      metadata: { a: 'b' },
      cacheKey: 'k',
      turns: [{ role: 'user', parts: [audio, { type: 'video', source: { url: 'https://a.test' } }] }],
    });
    expect(dropped).toEqual([
      'seed',
      'presence_penalty',
      'frequency_penalty',
      'logprobs',
      'n',
      'verbosity',
      'modalities',
      'audio',
      'metadata',
      'prompt_cache_key',
      'messages.content.audio',
      'messages.content.video',
    ]);
    expect(encode({ choices: 1, outputKinds: ['text'] }).dropped).toEqual([]);
  });

  it('omits other vendors’ tool calls, whose sources it cannot sign', () => {
    const call = { tool: 'web-search', callId: 'w', input: 'q' } as const;
    const { body, dropped } = encode({
      turns: [
        asked,
        {
          role: 'assistant',
          parts: [
            { type: 'vendor-call', call },
            { type: 'text', text: 'a' },
          ],
        },
      ],
    });
    expect(body['messages']).toMatchObject([{}, { content: [{ type: 'text' }] }]);
    expect(dropped).toEqual(['messages.content.vendor-call']);
  });

  it('sends an image from any form as an image', () => {
    const source = { mediaType: 'image/png', base64: 'AAAA' };
    const { body } = encode({ turns: [{ role: 'user', parts: [{ type: 'file', name: 'a', source }] }] });
    expect(body['messages']).toMatchObject([{ content: [{ type: 'image', source: { data: 'AAAA' } }] }]);
  });

  it('does not forward an e-mail address', () => {
    expect(encode({ userId: 'a@b.test' })).toMatchObject({ dropped: ['user'] });
    expect(encode({ userId: 'u1' }).body['metadata']).toEqual({ user_id: 'u1' });
  });
});

describe('thinking', () => {
  const tools = [{ name: 'f', parameters: {} }];

  it('gets a budget, and room for it, with models that count it', () => {
    const { body } = encode({ reasoning: { effort: 'medium' }, maxOutputTokens: 1_000 });
    expect(body).toMatchObject({ thinking: { type: 'enabled', budget_tokens: 8_192 }, max_tokens: 9_192 });
  });

  it('gets an effort word with adaptive models', () => {
    const { body } = encode({ reasoning: { effort: 'minimal' } }, 'claude-opus-4-8');
    expect(body).toMatchObject({
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'low' },
    });
    expect(encode({ reasoning: { effort: 'xhigh' } }, 'claude-opus-4-6').body).toMatchObject({
      thinking: { type: 'adaptive' },
      output_config: { effort: 'max' },
    });
  });

  it('removes forced tools and sampling', () => {
    const { body, dropped } = encode({
      reasoning: { effort: 'low' },
      tools,
      toolChoice: { type: 'required' },
      temperature: 0.3,
    });
    expect(body).toMatchObject({ tool_choice: { type: 'auto' } });
    expect(dropped).toEqual(['tool_choice', 'temperature']);
  });

  it('omits thinking in a tool loop without its thinking blocks and keeps signed ones', () => {
    const lost = encode({ reasoning: { effort: 'low' }, tools, turns: loop() });
    expect(lost.body).not.toHaveProperty('thinking');
    expect(lost.dropped).toEqual(['reasoning_effort']);
    expect(encode({ reasoning: { effort: 'low' }, tools, turns: loop(signed) }).body).toHaveProperty('thinking');
  });

  it('shows thinking as the client wants when the model lets it choose', () => {
    const shown = (isShown: boolean | undefined, model: string): unknown =>
      encode({ reasoning: { effort: 'low', isShown } }, model).body['thinking'];
    expect(shown(false, 'claude-opus-4-8')).toEqual({ type: 'adaptive', display: 'omitted' });
    expect(shown(true, 'claude-opus-4-6')).toEqual({ type: 'adaptive', display: 'summarized' });
    expect(shown(undefined, 'claude-opus-4-6')).toEqual({ type: 'adaptive' });
    expect(shown(false, 'claude-sonnet-4-5')).toEqual({ type: 'enabled', budget_tokens: 2_048 });
    const bare = { reasoning: { isShown: true } };
    expect(encode(bare, 'claude-opus-4-8').body['thinking']).toEqual({ type: 'adaptive', display: 'summarized' });
    expect(encode(bare, 'claude-sonnet-4-5').body).not.toHaveProperty('thinking');
  });

  it('can be switched off, and is omitted for models without it', () => {
    expect(encode({ reasoning: { effort: 'none' } }).body['thinking']).toEqual({ type: 'disabled' });
    expect(encode({ reasoning: { effort: 'none' } }, 'claude-3-5-haiku').body).not.toHaveProperty('thinking');
    expect(encode({ reasoning: { effort: 'high' } }, 'claude-3-5-haiku').dropped).toEqual(['reasoning_effort']);
  });
});

describe('instructions between turns', () => {
  const note = { role: 'system', parts: [{ type: 'text', text: 'be brief' }] } as const;
  const told: Conversation['turns'][number] = { ...note, parts: [...note.parts] };
  const answered: Conversation['turns'][number] = { role: 'assistant', parts: [{ type: 'text', text: 'a' }] };
  const roles = (model: string, ...turns: Conversation['turns']): unknown => {
    const { messages } = encode({ turns }, model).body;
    return Array.isArray(messages) ? messages.map(({ role }) => role) : messages;
  };

  it('sends mid-conversation instructions as system turns to models that accept them', () => {
    expect(roles('claude-opus-4-8', asked, told, answered)).toEqual(['user', 'system', 'assistant', 'user']);
    expect(roles('claude-opus-5', asked, told, told)).toEqual(['user', 'system']);
  });

  it('sends mid-conversation instructions as user notes to all other models', () => {
    expect(roles('claude-opus-4-8', asked, told, asked)).toEqual(['user']);
    expect(roles('claude-opus-4-8', told, answered, told)).toEqual(['user', 'assistant', 'user']);
    expect(roles('claude-opus-4-7', asked, told, answered, asked)).toEqual(['user', 'assistant', 'user']);
    const { body } = encode({ turns: [asked, told] }, 'somebody-elses');
    expect(JSON.stringify(body['messages'])).toContain('<system>\\nbe brief\\n</system>');
  });
});
