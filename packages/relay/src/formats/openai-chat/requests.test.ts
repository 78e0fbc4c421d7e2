import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../conversation.ts';
import { InvalidRequest } from '../../invalid-request.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

function tool(name: string): unknown {
  return { type: 'function', function: { name } };
}

function conversation(fields: Partial<Conversation>): Conversation {
  return { system: [], turns: [], tools: [], vendorTools: [], unsupported: [], ...fields };
}

function encode(fields: Partial<Conversation>): { body: Record<string, unknown>; dropped: string[] } {
  const dropped: string[] = [];
  return { body: encodeRequest(conversation(fields), { model: 'm', stream: false }, dropped), dropped };
}

describe('decoding a chat request', () => {
  it('gathers the system prompt at the head and keeps later instructions in their place', () => {
    const { system, turns } = decodeRequest({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'developer', content: [{ type: 'text', text: 'b' }] },
        { role: 'user', content: 'c' },
        { role: 'system', content: 'd' },
      ],
    });
    expect(system.map((part) => part.text)).toEqual(['a', 'b']);
    expect(turns).toMatchObject([
      { role: 'user', parts: [{ text: 'c' }] },
      { role: 'system', parts: [{ text: 'd' }] },
    ]);
  });

  it('reads tool calls, their results, images and files', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };
    const { turns } = decodeRequest({
      messages: [
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c1', content: 'done' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: png, detail: 'low' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' } },
          ],
        },
      ],
    });
    expect(turns).toMatchObject([
      { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c1', name: 'f', arguments: '{"a":1}' }] },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', callId: 'c1', content: [{ text: 'done' }] },
          { type: 'image', source: { mediaType: 'image/png', base64: 'iVBORw0KGgo=' }, detail: 'low' },
          { type: 'file', name: 'a.pdf', source: { mediaType: 'application/pdf', base64: 'QQ==' } },
        ],
      },
    ]);
  });

  it('reads back the reasoning that our answers carried', () => {
    const { turns } = decodeRequest({
      messages: [
        {
          role: 'assistant',
          content: 'x',
          reasoning_content: 'thought',
          reasoning_details: [
            { type: 'reasoning.text', signature: 'sig' },
            { type: 'reasoning.encrypted', data: 'opaque' },
          ],
        },
      ],
    });
    expect(turns[0]?.parts.slice(0, 2)).toEqual([
      {
        type: 'reasoning',
        text: 'thought',
        proof: { origin: 'openai-chat', kind: 'signature', value: 'sig' },
      },
      {
        type: 'reasoning',
        text: '',
        proof: { origin: 'openai-chat', kind: 'redacted', value: 'opaque' },
      },
    ]);
  });

  it('understands the older functions as tools', () => {
    const decoded = decodeRequest({
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'ok' },
      ],
      functions: [{ name: 'f', parameters: { type: 'object' } }],
      function_call: { name: 'f' },
    });
    expect(decoded).toMatchObject({ tools: [{ name: 'f' }], toolChoice: { type: 'tool', name: 'f' } });
    expect(decoded.turns[1]?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'f' });
  });

  it('sends only the tools that a choice allows', () => {
    const decoded = decodeRequest({
      messages: [],
      tools: [tool('a'), tool('b')],
      tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('b')] } },
    });
    expect(decoded).toMatchObject({ tools: [{ name: 'b' }], toolChoice: { type: 'required' } });
  });

  it('names what has no neutral counterpart, and not what says nothing', () => {
    const decoded = decodeRequest({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { file_id: 'file-1' } },
            { type: 'hologram' },
            { type: 'text', text: '' },
          ],
        },
      ],
      tools: [{ type: 'hosted' }],
      logit_bias: { 1: 2 },
      prediction: {},
      service_tier: 'flex',
      store: false,
      audio: null,
    });
    expect(decoded.unsupported.toSorted()).toEqual([
      'logit_bias',
      'messages.content.file.file_id',
      'messages.content.hologram',
      'prediction',
      'service_tier',
      'tools.hosted',
    ]);
  });

  it('reads sound, video and files in their several spellings', () => {
    const { turns } = decodeRequest({
      messages: [
        {
          role: 'user',
          content: [
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
            { type: 'video_url', video_url: { url: 'https://a.test/b.mp4' } },
            { type: 'file', file: { file_data: 'QQ==' } },
            { type: 'file', file: { file_data: 'https://a.test/b.pdf' } },
          ],
        },
      ],
    });
    expect(turns[0]?.parts).toMatchObject([
      { type: 'audio', source: { mediaType: 'audio/mpeg', base64: 'AAAA' } },
      { type: 'video', source: { url: 'https://a.test/b.mp4' } },
      { type: 'file', source: { mediaType: 'application/pdf', base64: 'QQ==' } },
      { type: 'file', source: { url: 'https://a.test/b.pdf' } },
    ]);
  });

  it('reads what only some vendors’ messages have, and names what stays with one', () => {
    const { turns, unsupported } = decodeRequest({
      messages: [
        { role: 'user', name: 'bob', content: 'draw' },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }],
          images: [{ type: 'image_url', image_url: { url: png } }],
          audio: { id: 'audio_1' },
        },
        {
          role: 'tool',
          tool_call_id: 'c',
          content: [
            { type: 'image_url', image_url: { url: png } },
            { type: 'text', text: 'ok', cache_control: { type: 'ephemeral' } },
            { type: 'input_audio', input_audio: { data: 'AAAA' } },
          ],
        },
      ],
    });
    expect(turns.slice(1)).toMatchObject([
      { parts: [{ type: 'reasoning', text: 'hm' }, { type: 'image' }] },
      { parts: [{ type: 'tool-result', content: [{ type: 'image' }, { text: 'ok' }], cache: '5m' }] },
    ]);
    expect(unsupported).toEqual(['messages.name', 'messages.audio', 'messages.tool.content']);
  });

  it('leaves out what says nothing', () => {
    const said = { n: 1, logprobs: false, presence_penalty: 0, frequency_penalty: 0, store: false };
    const decoded = decodeRequest({ ...said, messages: [] });
    const { choices, logprobs, presencePenalty, frequencyPenalty, unsupported } = decoded;
    expect([choices, logprobs, presencePenalty, frequencyPenalty]).toEqual(Array(4).fill(undefined));
    expect(unsupported).toEqual([]);
  });

  it.each([
    [[1], 'object'],
    [[{ role: 'wizard', content: 'x' }], 'role'],
    [[{ role: 'tool', content: 'x' }], 'tool_call_id'],
    [[{ role: 'user', content: [{ type: 'image_url' }] }], 'url'],
  ])('refuses %o', (messages, reason) => {
    expect(() => decodeRequest({ messages })).toThrow(InvalidRequest);
    expect(() => decodeRequest({ messages })).toThrow(reason);
  });
});

describe('encoding a chat request', () => {
  it('puts results before what the user says, and images of results after them', () => {
    const { body } = encode({
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'and now?' },
            {
              type: 'tool-result',
              callId: 'c',
              isError: true,
              content: [
                { type: 'text', text: 'bad' },
                { type: 'image', source: { mediaType: 'image/png', base64: 'QQ==' } },
              ],
            },
          ],
        },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'tool', tool_call_id: 'c', content: 'Error: bad\n[image, see below]' },
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } },
          { type: 'text', text: 'and now?' },
        ],
      },
    ]);
  });

  it('lets nothing stand between calls and their results', () => {
    const { body } = encode({
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'a' }] },
        { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', name: 'f', arguments: '{}' }] },
        { role: 'system', parts: [{ type: 'text', text: 'note' }] },
        { role: 'user', parts: [{ type: 'tool-result', callId: 'c', content: [] }] },
      ],
    });
    expect(body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'system', content: 'note' },
    ]);
  });

  it('sends plain text as text, and files of results behind them', () => {
    const source = { mediaType: 'text/plain', base64: Buffer.from('hello').toString('base64') };
    const pdf = { type: 'file', source: { mediaType: 'application/pdf', base64: 'QQ==' } } as const;
    const { body } = encode({
      turns: [
        {
          role: 'user',
          parts: [
            { type: 'tool-result', callId: 'c', content: [pdf] },
            { type: 'file', name: 'a.txt', source, cache: '5m' },
          ],
        },
      ],
    });
    expect(body['messages']).toMatchObject([
      { role: 'tool', content: '[file, see below]' },
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'document' } },
          { type: 'text', text: 'a.txt\n\nhello', cache_control: { type: 'ephemeral' } },
        ],
      },
    ]);
  });

  it('asks for a search as an option, and names the tools and limits that it cannot ask for', () => {
    const { body, dropped } = encode({
      vendorTools: [
        { type: 'web-search', maxUses: 1, allowedDomains: ['a'], contextSize: 'low' },
        { type: 'code-execution' },
        { type: 'url-fetch' },
      ],
    });
    expect(body['web_search_options']).toEqual({ search_context_size: 'low' });
    expect(dropped).toEqual([
      'tools.web_search.max_uses',
      'tools.web_search.allowed_domains',
      'tools.code_execution',
      'tools.web_fetch',
    ]);
  });

  it('returns reasoning within the running tool loop only', () => {
    const thought = { type: 'reasoning' as const, text: 'hm' };
    const { body } = encode({
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'a' }] },
        { role: 'assistant', parts: [thought, { type: 'text', text: 'b' }] },
        { role: 'user', parts: [{ type: 'text', text: 'c' }] },
        {
          role: 'assistant',
          parts: [thought, { type: 'tool-call', callId: 'x', name: 'f', arguments: '{}' }],
        },
        { role: 'user', parts: [{ type: 'tool-result', callId: 'x', content: [] }] },
      ],
    });
    expect(JSON.stringify(body['messages']).match(/reasoning_content/g)).toHaveLength(1);
    expect(body['messages']).toMatchObject([{}, {}, {}, { reasoning_content: 'hm', content: null }, {}]);
  });

  it.each([
    [{ budgetTokens: 0 }, 'none'],
    [{ budgetTokens: 1_024 }, 'low'],
    [{ budgetTokens: 8_000 }, 'medium'],
    [{ budgetTokens: 30_000 }, 'high'],
    [{ effort: 'max' as const }, 'max'],
  ])('asks for thinking of %o by a word', (reasoning, word) => {
    expect(encode({ reasoning }).body['reasoning_effort']).toBe(word);
  });

  it('keeps cache breakpoints, which some vendors of this dialect read', () => {
    const { body } = encode({ system: [{ type: 'text', text: 's', cache: '1h' }] });
    expect(body['messages']).toEqual([
      {
        role: 'system',
        content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
    ]);
  });

  it('names what it cannot say', () => {
    const { dropped } = encode({
      topK: 5,
      turns: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'reasoning',
              text: '',
              proof: { origin: 'anthropic-messages', kind: 'redacted', value: 'x' },
            },
          ],
        },
        { role: 'user', parts: [{ type: 'file', source: { url: 'https://a.test/b.pdf' } }] },
      ],
    });
    expect(dropped).toEqual(['top_k', 'redacted_thinking', 'messages.content.document.url']);
  });

  it('stays within the documented limits of stop sequences and user ids', () => {
    const { body, dropped } = encode({ stop: ['a', 'b', 'c', 'd', 'e'], userId: 'u'.repeat(65) });
    expect(body['stop']).toEqual(['a', 'b', 'c', 'd']);
    expect(body).not.toHaveProperty('user');
    expect(dropped).toEqual(['stop_sequences', 'metadata.user_id']);
  });

  it('says no more about tools than there are tools', () => {
    const { body } = encode({ toolChoice: { type: 'auto' }, parallelToolCalls: false });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  it('survives being decoded and encoded again', () => {
    const request = {
      model: 'm',
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
        },
      ],
      messages: [
        { role: 'system', content: 's' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: png } },
          ],
        },
        {
          role: 'assistant',
          content: 'calling',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x": 1}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
      ],
      max_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      stop: ['a', 'b'],
      reasoning_effort: 'low',
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', schema: { type: 'object' }, strict: true },
      },
      user: 'u',
    };
    expect(encodeRequest(decodeRequest(request), { model: 'm', stream: false }, [])).toEqual(request);
  });
});
