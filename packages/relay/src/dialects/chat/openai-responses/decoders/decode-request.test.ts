import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../../model/conversation.ts';
import { InvalidRequestError } from '../../../../model/invalid-request-error.ts';
import { decodeRequest } from './decode-request.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

function user(text: string): Conversation['turns'][number] {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

describe('decoding a Responses request', () => {
  it('reads a text as the user’s', () => {
    expect(decodeRequest({ input: 'hi' }).turns).toEqual([user('hi')]);
  });

  it('joins leading instructions and keeps later ones in place', () => {
    const { system, turns } = decodeRequest({
      instructions: 'a',
      input: [
        { role: 'system', content: 'b' },
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'c' }] },
        { role: 'user', content: 'd' },
        { role: 'developer', content: 'e' },
      ],
    });
    expect(system.map((part) => part.text)).toEqual(['a', 'b', 'c']);
    expect(turns).toEqual([user('d'), { role: 'system', parts: [{ type: 'text', text: 'e' }] }]);
  });

  it('merges thoughts, text and calls into one assistant turn, and outputs into one user turn', () => {
    const { turns } = decodeRequest({
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 't' }], encrypted_content: 'E' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'calling', annotations: [] }] },
        { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"a":1}' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'sql', input: 'SELECT "x"' },
        { type: 'function_call_output', call_id: 'c1', output: 'done' },
        {
          type: 'custom_tool_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'see' },
            { type: 'input_image', image_url: png, detail: 'low' },
          ],
        },
      ],
    });
    const proof = { origin: 'openai-responses', kind: 'signature', value: 'rs_1|E' };
    expect(turns).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'reasoning', text: 't', signature: proof },
          { type: 'text', text: 'calling' },
          { type: 'tool-call', callId: 'c1', name: 'f', arguments: '{"a":1}' },
          { type: 'tool-call', callId: 'c2', name: 'sql', arguments: '{"input":"SELECT \\"x\\""}' },
        ],
      },
      {
        role: 'user',
        parts: [
          { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'done' }] },
          {
            type: 'tool-result',
            callId: 'c2',
            content: [
              { type: 'text', text: 'see' },
              { type: 'image', source: { mediaType: 'image/png', base64: 'iVBORw0KGgo=' }, detail: 'low' },
            ],
          },
        ],
      },
    ]);
  });

  it('recognizes another vendor’s signature', () => {
    const item = { type: 'reasoning', id: 'rs_1', encrypted_content: 'switchyard.anthropic-messages.signature.S' };
    expect(decodeRequest({ input: [item] }).turns[0]?.parts).toEqual([
      { type: 'reasoning', text: '', signature: { origin: 'anthropic-messages', kind: 'signature', value: 'S' } },
    ]);
  });

  it('reads files by data, with and without a data URL, by URL, and audio', () => {
    const content = [
      { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,QQ==' },
      { type: 'input_file', file_data: 'JVBERi0x' },
      { type: 'input_file', file_url: 'https://a.test/b.pdf' },
      { type: 'input_audio', input_audio: { data: 'QQ==', format: 'mp3' } },
    ];
    expect(decodeRequest({ input: [{ role: 'user', content }] }).turns[0]?.parts).toEqual([
      { type: 'file', name: 'a.pdf', source: { mediaType: 'application/pdf', base64: 'QQ==' } },
      { type: 'file', source: { mediaType: 'application/pdf', base64: 'JVBERi0x' } },
      { type: 'file', source: { url: 'https://a.test/b.pdf' } },
      { type: 'audio', source: { mediaType: 'audio/mpeg', base64: 'QQ==' } },
    ]);
  });

  it('reads vendor tool calls, and generated images', () => {
    const { turns } = decodeRequest({
      input: [
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
        { type: 'web_search_call', id: 'ws_2', action: { type: 'open_page', url: 'https://a.test' } },
        { type: 'code_interpreter_call', id: 'ci_1', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
        { type: 'image_generation_call', id: 'ig_1', result: 'QQ==', output_format: 'webp' },
      ],
    });
    expect(turns[0]?.parts).toMatchObject([
      { call: { tool: 'web-search', callId: 'ws_1', input: 'q' } },
      { call: { tool: 'url-fetch', input: 'https://a.test' } },
      { call: { tool: 'code-execution', input: '1+1', output: '2' } },
      { type: 'image', source: { mediaType: 'image/webp', base64: 'QQ==' } },
    ]);
  });

  it('reads every field with a neutral form', () => {
    const { unsupported, ...decoded } = decodeRequest({
      input: 'hi',
      max_output_tokens: 5,
      temperature: 0.5,
      top_p: 0.9,
      parallel_tool_calls: false,
      reasoning: { effort: 'high', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      top_logprobs: 3,
      metadata: { a: 'b', c: 1 },
      user: 'u',
      safety_identifier: 's',
      prompt_cache_key: 'k',
      service_tier: 'default',
      store: false,
      truncation: 'disabled',
      stream: true,
    });
    expect(unsupported).toEqual([]);
    expect(decoded).toMatchObject({
      maxOutputTokens: 5,
      temperature: 0.5,
      topP: 0.9,
      parallelToolCalls: false,
      reasoning: { effort: 'high', isShown: true },
      verbosity: 'low',
      outputFormat: { type: 'json-schema', name: 'n', schema: {}, strict: true },
      logprobs: 3,
      metadata: { a: 'b' },
      userId: 's',
      cacheKey: 'k',
      serviceTier: 'standard',
    });
  });

  it('requests visible thoughts with a summary', () => {
    expect(decodeRequest({ input: 'hi', reasoning: { effort: 'low' } }).reasoning).toEqual({ effort: 'low' });
    expect(decodeRequest({ input: 'hi', reasoning: { summary: 'auto' } }).reasoning).toEqual({ isShown: true });
    expect(decodeRequest({ input: 'hi', reasoning: { effort: null } }).reasoning).toBeUndefined();
  });

  it('reports fields without a neutral form, but not default values', () => {
    const { unsupported } = decodeRequest({
      input: [
        { type: 'mcp_call', id: 'm' },
        { role: 'user', content: [{ type: 'input_image', file_id: 'f' }, { type: 'input_video' }] },
        { role: 'user', content: [{ type: 'input_text', text: '' }] },
      ],
      tools: [{ type: 'file_search' }, { type: 'mcp' }, { type: 'custom', name: 'c', format: { type: 'grammar' } }],
      tool_choice: { type: 'file_search' },
      include: ['file_search_call.results'],
      service_tier: 'flex',
      store: true,
      truncation: 'auto',
      max_tool_calls: 3,
      previous_response_id: null,
      background: false,
    });
    expect(unsupported.toSorted()).toEqual([
      'include.file_search_call.results',
      'input.content.input_image',
      'input.content.input_video',
      'input.mcp_call',
      'max_tool_calls',
      'service_tier',
      'store',
      'tool_choice',
      'tools.custom.format',
      'tools.file_search',
      'tools.mcp',
      'truncation',
    ]);
  });

  it.each([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ conversation: { id: 'conv_1' } }, 'conversation'],
    [{ prompt: { id: 'p' } }, 'prompt'],
    [{ background: true }, 'background'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input'],
    [{ input: [1] }, 'input'],
    [{ input: [{ role: 'wizard', content: 'x' }] }, 'input'],
    [{ input: [{ type: 'function_call', call_id: 'c' }] }, 'input'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:x' }] }] }, 'input'],
    [{ tools: [{ type: 'function' }] }, 'tools'],
  ])('refuses %j and names the field', (fields, param) => {
    const decode = (): unknown => decodeRequest({ input: 'hi', ...fields });
    expect(decode).toThrow(InvalidRequestError);
    expect(decode).toThrow(expect.objectContaining({ param }));
  });
});

describe('the tools of a Responses request', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'array', items: { type: 'number' } } },
    required: ['a', 'b'],
    additionalProperties: false,
  };
  const strictness = (tool: object): unknown =>
    decodeRequest({ input: 'hi', tools: [{ type: 'function', name: 'f', ...tool }] }).tools[0]?.strict;

  it('makes tools strict by default when their schema allows it', () => {
    expect(strictness({ parameters: closed })).toBe(true);
    expect(strictness({ parameters: closed, strict: null })).toBe(true);
    expect(strictness({ parameters: closed, strict: false })).toBe(false);
    expect(strictness({ parameters: { ...closed, required: ['a'] } })).toBeUndefined();
    expect(strictness({ parameters: { ...closed, additionalProperties: true } })).toBeUndefined();
    expect(strictness({})).toBeUndefined();
  });

  it('become functions with one text and the grammar as an instruction if they are custom', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' };
    const tool = { type: 'custom', name: 'sql', description: 'd', format };
    expect(decodeRequest({ input: 'hi', tools: [tool] }).tools).toMatchObject([
      {
        name: 'sql',
        description: 'd',
        parameters: {
          properties: { input: { type: 'string', description: expect.stringContaining('lark grammar:\nstart: "a"') } },
          required: ['input'],
        },
      },
    ]);
  });

  it('keeps the options of vendor tools', () => {
    const location = { type: 'approximate', city: 'Oslo', country: 'NO' };
    const { vendorTools } = decodeRequest({
      input: 'hi',
      tools: [
        {
          type: 'web_search',
          search_context_size: 'low',
          user_location: location,
          filters: { allowed_domains: ['a.test'] },
        },
        { type: 'web_search_preview_2025_03_11' },
        { type: 'code_interpreter', container: { type: 'auto' } },
      ],
    });
    expect(vendorTools).toMatchObject([
      {
        type: 'web-search',
        contextSize: 'low',
        allowedDomains: ['a.test'],
        userLocation: { city: 'Oslo', country: 'NO' },
      },
      { type: 'web-search' },
      { type: 'code-execution' },
    ]);
  });

  it.each([
    ['required', { type: 'required' }],
    ['none', { type: 'none' }],
    [
      { type: 'function', name: 'f' },
      { type: 'tool', name: 'f' },
    ],
    [
      { type: 'custom', name: 'c' },
      { type: 'tool', name: 'c' },
    ],
  ])('are selected by %j', (tool_choice, expected) => {
    expect(decodeRequest({ input: 'hi', tool_choice }).toolChoice).toEqual(expected);
  });

  it('keeps only the tools that the tool choice allows', () => {
    const decoded = decodeRequest({
      input: 'hi',
      tools: [
        { type: 'function', name: 'a' },
        { type: 'function', name: 'b' },
        { type: 'web_search' },
        { type: 'code_interpreter' },
      ],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'b' }, { type: 'code_interpreter' }],
      },
    });
    expect(decoded).toMatchObject({
      tools: [{ name: 'b' }],
      vendorTools: [{ type: 'code-execution' }],
      toolChoice: { type: 'required' },
    });
  });
});
