import { describe, expect, it } from 'vitest';
import type { Conversation, Turn } from '../../../model/conversation.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

function conversation(fields: Partial<Conversation>): Conversation {
  return { system: [], turns: [], tools: [], vendorTools: [], unsupported: [], ...fields };
}

function encode(fields: Partial<Conversation>): { body: Record<string, unknown>; dropped: string[] } {
  const dropped: string[] = [];
  return { body: encodeRequest(conversation(fields), { model: 'm', stream: false }, dropped), dropped };
}

const calling: Turn = { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', name: 'f', arguments: '{}' }] };

describe('encoding a chat request', () => {
  it('puts results before the user’s text, and images of results after it', () => {
    const { body } = encode({
      turns: [
        calling,
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
      expect.objectContaining({ role: 'assistant' }),
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

  it('keeps calls and their results adjacent', () => {
    const { body } = encode({
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'a' }] },
        calling,
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

  it('writes required content, and no empty message', () => {
    expect(encode({}).body['messages']).toEqual([{ role: 'user', content: '' }]);
    const { body } = encode({
      turns: [
        { role: 'user', parts: [] },
        { role: 'assistant', parts: [] },
        { role: 'user', parts: [{ type: 'audio', source: { url: 'https://a.test/a.wav' } }] },
      ],
    });
    expect(body['messages']).toEqual([
      { role: 'user', content: '' },
      { role: 'user', content: '' },
    ]);
  });

  it('sends plain text, and files of results after them', () => {
    const source = { mediaType: 'text/plain', base64: Buffer.from('hello').toString('base64') };
    const pdf = { type: 'file', source: { mediaType: 'application/pdf', base64: 'QQ==' } } as const;
    const { body } = encode({
      turns: [
        calling,
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
      { role: 'assistant' },
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

  it('requests a search as an option, and reports unsupported tools and limits', () => {
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
        { role: 'assistant', parts: [thought, { type: 'tool-call', callId: 'x', name: 'f', arguments: '{}' }] },
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
  ])('requests the effort of %o by a word', (reasoning, word) => {
    expect(encode({ reasoning }).body['reasoning_effort']).toBe(word);
  });

  it('keeps cache breakpoints, which some vendors of this dialect read', () => {
    const { body } = encode({ system: [{ type: 'text', text: 's', cache: '1h' }] });
    expect(body['messages']).toEqual([
      { role: 'system', content: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    ]);
  });

  it('reports unsupported fields', () => {
    const { dropped } = encode({
      topK: 5,
      turns: [
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: '', signature: { origin: 'anthropic-messages', kind: 'redacted', value: 'x' } },
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

  it('omits tool settings without tools', () => {
    const { body } = encode({ toolChoice: { type: 'auto' }, parallelToolCalls: false });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  it('round-trips through decoding and encoding', () => {
    const request = {
      model: 'm',
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } },
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
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } },
      user: 'u',
    };
    expect(encodeRequest(decodeRequest(request), { model: 'm', stream: false }, [])).toEqual(request);
  });
});
