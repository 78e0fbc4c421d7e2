import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Conversation } from '../../../../model/conversation.ts';
import { decodeRequest } from '../decoders/decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';

function encode(fields: Partial<Conversation>): { body: Record<string, unknown>; dropped: string[] } {
  const dropped: string[] = [];
  const conversation = { system: [], turns: [], tools: [], vendorTools: [], unsupported: [], ...fields };
  return { body: encodeRequest(conversation, { model: 'm', stream: false }, dropped), dropped };
}

function user(text: string): Conversation['turns'][number] {
  return { role: 'user', parts: [{ type: 'text', text }] };
}

describe('encoding a Responses request', () => {
  it('stores nothing at the vendor, and requests encrypted reasoning', () => {
    expect(encode({ turns: [user('hi')] }).body).toEqual({
      model: 'm',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    expect(encode({ reasoning: { effort: 'none' } }).body).not.toHaveProperty('include');
  });

  it('writes texts, calls and results in order', () => {
    const { body } = encode({
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      turns: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'reasoning',
              text: 't',
              signature: { origin: 'openai-responses', kind: 'signature', value: 'rs_1|E|F' },
            },
            { type: 'text', text: 'one' },
            { type: 'refusal', text: 'no' },
            { type: 'tool-call', callId: 'c', name: 'f', arguments: '{}' },
            { type: 'text', text: 'two' },
          ],
        },
        {
          role: 'user',
          parts: [
            { type: 'tool-result', callId: 'c', isError: true, content: [{ type: 'text', text: 'bad' }] },
            { type: 'file', source: { url: 'https://a.test/b.pdf' } },
            { type: 'file', name: 'c.pdf', source: { mediaType: 'application/pdf', base64: 'QQ==' } },
          ],
        },
        { role: 'system', parts: [{ type: 'text', text: 'now' }] },
      ],
    });
    expect(body['instructions']).toBe('a\n\nb');
    expect(body['input']).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 't' }], encrypted_content: 'E|F' },
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'one', annotations: [] },
          { type: 'refusal', refusal: 'no' },
        ],
      },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'two', annotations: [] }] },
      { type: 'function_call_output', call_id: 'c', output: 'Error: bad' },
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_file', file_url: 'https://a.test/b.pdf' },
          { type: 'input_file', filename: 'c.pdf', file_data: 'data:application/pdf;base64,QQ==' },
        ],
      },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'now' }] },
    ]);
  });

  it('writes images of tool results', () => {
    const content = [
      { type: 'text' as const, text: 'see' },
      { type: 'image' as const, source: { mediaType: 'image/png', base64: 'iVBORw0KGgo=' } },
    ];
    const { body } = encode({
      turns: [
        { role: 'assistant', parts: [{ type: 'tool-call', callId: 'c', name: 'f', arguments: '{}' }] },
        { role: 'user', parts: [{ type: 'tool-result', callId: 'c', content }] },
      ],
    });
    expect(body['input']).toEqual([
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      {
        type: 'function_call_output',
        call_id: 'c',
        output: [
          { type: 'input_text', text: 'see' },
          { type: 'input_image', image_url: png, detail: 'auto' },
        ],
      },
    ]);
  });

  it('writes strict as false, because the default is true', () => {
    const { body } = encode({ tools: [{ name: 'f', parameters: undefined }] });
    expect(body['tools']).toEqual([{ type: 'function', name: 'f', parameters: null, strict: false }]);
  });

  it('reports unsupported fields', () => {
    const audio = { mediaType: 'audio/wav', base64: 'QQ==' };
    const { body, dropped } = encode({
      stop: ['a'],
      seed: 1,
      topK: 5,
      choices: 2,
      presencePenalty: 1,
      frequencyPenalty: 1,
      outputKinds: ['text', 'audio'],
      speech: { voice: 'v' },
      userId: 'u'.repeat(65),
      vendorTools: [{ type: 'url-fetch' }, { type: 'web-search', maxUses: 3, blockedDomains: ['a'] }],
      turns: [
        { role: 'user', parts: [{ type: 'audio', source: audio, cache: '5m' }] },
        { role: 'assistant', parts: [{ type: 'reasoning', text: 't' }] },
        { role: 'assistant', parts: [{ type: 'vendor-call', call: { tool: 'web-search', callId: 'x', input: 'q' } }] },
      ],
    });
    expect(dropped.toSorted()).toEqual([
      'audio',
      'frequency_penalty',
      'messages.reasoning_content',
      'messages.user.audio',
      'messages.vendor-call',
      'metadata.user_id',
      'modalities',
      'n',
      'presence_penalty',
      'seed',
      'stop',
      'tools.web_fetch',
      'tools.web_search.blocked_domains',
      'tools.web_search.max_uses',
      'top_k',
    ]);
    // An empty input is refused.
    expect(body['input']).toMatchObject([{ role: 'user', content: [{ text: '' }] }]);
  });

  it('raises the output cap to the vendor’s minimum', () => {
    expect(encode({ maxOutputTokens: 1 }).body['max_output_tokens']).toBe(16);
    expect(encode({ maxOutputTokens: 17 }).body['max_output_tokens']).toBe(17);
  });

  it('round-trips through decoding and encoding', () => {
    const word = fc.string({ minLength: 1, maxLength: 5 });
    const said = fc.record({
      type: fc.constant('message'),
      role: fc.constantFrom('user', 'developer'),
      content: fc.array(
        fc.oneof(
          fc.record({ type: fc.constant('input_text'), text: word }),
          fc.constant({ type: 'input_image', image_url: png, detail: 'low' }),
          fc.record({ type: fc.constant('input_file'), filename: word, file_data: fc.constant(png) }),
        ),
        { minLength: 1, maxLength: 3 },
      ),
    });
    const items = fc.oneof(
      fc.record({ name: word, arguments: word, output: word }).map(({ output, ...call }) => [
        { type: 'function_call', call_id: '', ...call },
        { type: 'function_call_output', call_id: '', output },
      ]),
      fc
        .record({
          type: fc.constant('reasoning'),
          id: word.filter((id) => !id.includes('|')),
          summary: fc.array(fc.record({ type: fc.constant('summary_text'), text: word }), { maxLength: 1 }),
          encrypted_content: word,
        })
        .map((thought) => [thought]),
    );
    const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
    // Neighbouring messages of one side become one.
    const separated = fc.array(
      fc.tuple(
        said.map((item) => ({ ...item, role: 'user' })),
        items,
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(separated, (pairs) => {
        const request = {
          model: 'm',
          instructions: 'be brief',
          input: [
            user,
            { type: 'function_call', call_id: 'c', name: 'f', arguments: '' },
            { type: 'function_call_output', call_id: 'c', output: 'r' },
            ...pairs.flatMap(([message, items], index) => [
              message,
              ...items.map((item) => ('call_id' in item ? { ...item, call_id: `call_${index}` } : item)),
            ]),
          ],
          store: false,
          include: ['reasoning.encrypted_content', 'web_search_call.action.sources'],
          stream: true,
          max_output_tokens: 100,
          reasoning: { effort: 'low', summary: 'auto' },
          text: { format: { type: 'json_object' }, verbosity: 'high' },
          tools: [
            { type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
            { type: 'web_search', search_context_size: 'high' },
          ],
          tool_choice: { type: 'function', name: 'f' },
          parallel_tool_calls: false,
          metadata: { a: 'b' },
          safety_identifier: 'u',
          prompt_cache_key: 'k',
          service_tier: 'auto',
        };
        const dropped: string[] = [];
        const conversation = decodeRequest(request);
        const again = encodeRequest(conversation, { model: 'm', stream: true }, dropped);
        const input = request.input.map((item) =>
          'arguments' in item ? { ...item, arguments: item.arguments === '' ? '{}' : item.arguments } : item,
        );
        expect([again, dropped, conversation.unsupported]).toEqual([{ ...request, input }, [], []]);
      }),
    );
  });
});
