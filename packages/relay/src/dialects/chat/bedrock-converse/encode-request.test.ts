import { describe, expect, it } from 'vitest';
import type { Conversation, Part } from '../../../model/conversation.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { encodeRequest } from './encode-request.ts';

function conversation(changes: Partial<Conversation> = {}, parts: Part[] = [text('hi')]): Conversation {
  return { system: [], turns: [{ role: 'user', parts }], tools: [], vendorTools: [], unsupported: [], ...changes };
}

function text(said: string): Part {
  return { type: 'text', text: said };
}

function encode(changes: Partial<Conversation> = {}, model = 'amazon.nova-lite-v1:0') {
  const dropped: string[] = [];
  return { body: encodeRequest(conversation(changes), { model, stream: false }, dropped), dropped };
}

function contentOf(parts: Part[]): unknown {
  return encode({ turns: [{ role: 'user', parts }] }).body['messages'];
}

const weather = { name: 'weather', parameters: { type: 'object', properties: {} } };
const call: Part = { type: 'tool-call', callId: 'a', name: 'weather', arguments: '{"city":"Bern"}' };
const result: Part = { type: 'tool-result', callId: 'a', content: [], isError: true };
const asked = [
  { role: 'user' as const, parts: [text('hi')] },
  { role: 'assistant' as const, parts: [call] },
  { role: 'user' as const, parts: [result] },
];

describe('turns', () => {
  it('start with the user, alternate, and are never empty', () => {
    const turns = [
      { role: 'assistant' as const, parts: [text('a')] },
      { role: 'user' as const, parts: [text('b'), text('  ')] },
      { role: 'user' as const, parts: [text('c')] },
      { role: 'assistant' as const, parts: [text('d  ')] },
    ];
    expect(encode({ turns }).body['messages']).toEqual([
      { role: 'user', content: [{ text: '.' }] },
      { role: 'assistant', content: [{ text: 'a' }] },
      { role: 'user', content: [{ text: 'b' }, { text: 'c' }] },
      { role: 'assistant', content: [{ text: 'd' }] },
    ]);
  });

  it('answer each call in the next turn, with its error', () => {
    const { body } = encode({ turns: asked, tools: [weather] });
    expect(body['messages']).toEqual([
      { role: 'user', content: [{ text: 'hi' }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'a', name: 'weather', input: { city: 'Bern' } } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'a', content: [{ text: '.' }], status: 'error' } }] },
    ]);
  });

  it('give calls valid and distinct names, however long the original names are', () => {
    const calls = ['0', '1'].map((end): Part => ({ ...call, callId: `call:${'x'.repeat(80)}${end}` }));
    const turns = [
      { role: 'user' as const, parts: [text('hi')] },
      { role: 'assistant' as const, parts: calls },
    ];
    const ids = JSON.stringify(encode({ turns }).body).match(/"toolUseId":"[^"]*"/g) ?? [];
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^"toolUseId":"[\w-]{1,64}"$/);
  });

  it('return a thought with the vendor’s own signature only', () => {
    const thought = (origin: 'bedrock-converse' | 'gemini', kind: 'signature' | 'redacted'): Part => ({
      type: 'reasoning',
      text: 'hm',
      signature: { origin, kind, value: 'x' },
    });
    const parts = [
      thought('bedrock-converse', 'signature'),
      thought('bedrock-converse', 'redacted'),
      thought('gemini', 'signature'),
      text('so'),
    ];
    const { body, dropped } = encode({
      turns: [
        { role: 'user', parts: [text('hi')] },
        { role: 'assistant', parts },
      ],
    });
    expect(body['messages']).toMatchObject([
      {},
      {
        content: [
          { reasoningContent: { reasoningText: { text: 'hm', signature: 'x' } } },
          { reasoningContent: { redactedContent: 'x' } },
          { text: 'so' },
        ],
      },
    ]);
    expect(dropped).toEqual(['messages.reasoning_content']);
  });
});

describe('files', () => {
  const file = (name?: string, mediaType = 'application/pdf'): Part => ({
    type: 'file',
    name,
    source: { mediaType, base64: 'AAAA' },
  });

  it('have valid, distinct names, and text beside them', () => {
    const named = [file('Über/uns.pdf'), file('a.pdf'), file('a.docx'), file(), file('…')];
    const documents = named.map((_, at) => ({
      document: {
        format: 'pdf',
        source: { bytes: 'AAAA' },
        name: ['ber uns', 'a', 'a 3', 'Document', 'Document 5'][at],
      },
    }));
    expect(contentOf(named)).toEqual([{ role: 'user', content: [...documents, { text: '.' }] }]);
  });

  it.each([
    ['image/jpg', { image: { format: 'jpeg', source: { bytes: 'AAAA' } } }],
    ['audio/mpeg', { audio: { format: 'mp3', source: { bytes: 'AAAA' } } }],
    ['video/3gpp', { video: { format: 'three_gp', source: { bytes: 'AAAA' } } }],
    ['text/x-python; charset=utf-8', { document: { format: 'txt' } }],
  ])('of the type %s keep their type', (mediaType, block) => {
    expect(contentOf([file(undefined, mediaType), text('?')])).toMatchObject([{ content: [block, { text: '?' }] }]);
  });

  it.each(['https://pictures.test/cat.png', 's3://the-operators-own/secret.pdf'])(
    'at other locations are refused: %s',
    (url) => {
      expect(() => contentOf([{ type: 'image', source: { url } }])).toThrow(InvalidRequestError);
      expect(() => contentOf([{ type: 'file', source: { url } }])).toThrow(InvalidRequestError);
    },
  );

  it('refuses files of an unknown type', () => {
    expect(() => contentOf([file('a.zip', 'application/zip')])).toThrow(
      'This model does not support the media type "application/zip". Use one of png, jpeg, gif, webp, pdf, ',
    );
    expect(() => contentOf([file('a', '__proto__')])).toThrow(InvalidRequestError);
  });
});

describe('tools', () => {
  it.each([
    ['auto', { auto: {} }],
    ['required', { any: {} }],
  ] as const)('allows the tool choice (%s)', (type, toolChoice) => {
    expect(encode({ tools: [weather], toolChoice: { type } }).body['toolConfig']).toMatchObject({ toolChoice });
  });

  it('forces the tool that the client chose', () => {
    const { body } = encode({ tools: [weather], toolChoice: { type: 'tool', name: 'weather' } });
    expect(body['toolConfig']).toMatchObject({ toolChoice: { tool: { name: 'weather' } } });
  });

  it('omits tools that must not be called, or keeps them in a tool loop and reports tool_choice', () => {
    const none = { tools: [weather], toolChoice: { type: 'none' as const } };
    expect(encode(none)).toMatchObject({ body: expect.not.objectContaining({ toolConfig: {} }), dropped: [] });
    expect(encode(none).body['toolConfig']).toBeUndefined();
    const looping = encode({ ...none, turns: asked });
    expect(looping.body['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'weather', inputSchema: { json: weather.parameters } } }],
    });
    expect(looping.dropped).toEqual(['tool_choice']);
  });

  it('declares tools used in the history when the client omits them', () => {
    expect(encode({ turns: asked }).body['toolConfig']).toMatchObject({ tools: [{ toolSpec: { name: 'weather' } }] });
  });

  it('reports vendor tools, strictness and cache marks as unsupported', () => {
    const { dropped } = encode({
      tools: [{ ...weather, strict: true, cache: '5m' }],
      vendorTools: [{ type: 'web-search' }],
    });
    expect(dropped).toEqual(['tools.web-search', 'tools.strict', 'tools.cache_control']);
  });
});

describe('model-specific fields', () => {
  const system = [{ type: 'text' as const, text: 'long', cache: '5m' as const }];
  const schema = { type: 'json-schema' as const, name: 'n', schema: { type: 'object', properties: {} } };

  it('writes cache points for models that support them and reports them for others', () => {
    const long = encode({ system: [{ type: 'text', text: 'long', cache: '1h' }] });
    expect(long.body['system']).toEqual([{ text: 'long' }, { cachePoint: { type: 'default' } }]);
    expect(long.dropped).toEqual(['cache_control.ttl']);
    expect(encode({ system }).body['system']).toEqual([{ text: 'long' }, { cachePoint: { type: 'default' } }]);
    const other = encode({ system }, 'us.meta.llama4-scout-17b-instruct-v1:0');
    expect(other.body['system']).toEqual([{ text: 'long' }]);
    expect(other.dropped).toEqual(['cache_control']);
  });

  it('writes a schema for models that support one and asks in words otherwise', () => {
    const { body } = encode({ outputFormat: schema }, 'qwen.qwen3-32b-v1:0');
    expect(body['outputConfig']).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: {
          jsonSchema: { name: 'n', schema: '{"type":"object","properties":{},"additionalProperties":false}' },
        },
      },
    });
    const asked = encode({ outputFormat: schema });
    expect(asked.body['outputConfig']).toBeUndefined();
    expect(JSON.stringify(asked.body['system'])).toContain('JSON Schema');
    expect(asked.dropped).toEqual(['response_format.json_schema']);
  });

  it.each([
    ['openai.gpt-oss-20b-1:0', { effort: 'high' }, { reasoning_effort: 'high' }, []],
    ['openai.gpt-oss-20b-1:0', { effort: 'none' }, { reasoning_effort: 'low' }, []],
    ['us.amazon.nova-2-lite-v1:0', { effort: 'none' }, undefined, []],
    [
      'us.amazon.nova-2-lite-v1:0',
      { budgetTokens: 1_000 },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'low' } },
      [],
    ],
    [
      'us.amazon.nova-2-lite-v1:0',
      { effort: 'max' },
      { reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } },
      ['temperature'],
    ],
    ['us.deepseek.r1-v1:0', { effort: 'low' }, undefined, ['reasoning_effort']],
  ] as const)('set thinking: %s %j', (model, reasoning, fields, lost) => {
    const { body, dropped } = encode({ reasoning, temperature: 0.5 }, model);
    expect(body['additionalModelRequestFields']).toEqual(fields);
    expect(dropped).toEqual(lost);
    expect(body['inferenceConfig']).toEqual(lost[0] === 'temperature' ? undefined : { temperature: 0.5 });
  });

  it('never raise the client’s cap for the highest thinking level', () => {
    const { body } = encode({ reasoning: { effort: 'high' }, maxOutputTokens: 50 }, 'amazon.nova-2-lite-v1:0');
    expect(body).toMatchObject({
      inferenceConfig: { maxTokens: 50 },
      additionalModelRequestFields: { reasoningConfig: { maxReasoningEffort: 'medium' } },
    });
  });

  it('writes top_k for models that support it', () => {
    expect(encode({ topK: 3 }).body['additionalModelRequestFields']).toEqual({ inferenceConfig: { topK: 3 } });
    expect(encode({ topK: 3 }, 'mistral.mistral-large-2407-v1:0').dropped).toEqual(['top_k']);
  });
});
