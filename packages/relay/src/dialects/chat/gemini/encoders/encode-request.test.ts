import { describe, expect, it } from 'vitest';
import type { Conversation, Part, Turn } from '../../../../model/conversation.ts';
import { encodeRequest } from './encode-request.ts';

function encode(
  fields: Partial<Conversation>,
  model = 'gemini-3-flash-preview',
): { body: Record<string, unknown>; dropped: string[] } {
  const dropped: string[] = [];
  const conversation: Conversation = {
    system: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
    tools: [],
    vendorTools: [],
    unsupported: [],
    ...fields,
  };
  return { body: encodeRequest(conversation, { model, stream: false }, dropped), dropped };
}

function contentsOf(turns: Turn[], model?: string): unknown {
  return encode({ turns }, model).body['contents'];
}

describe('encoding a Gemini request', () => {
  const call = (callId: string, name = 'f'): Part => ({ type: 'tool-call', callId, name, arguments: '{"a":1}' });
  const result = (callId: string): Part => ({
    type: 'tool-result',
    callId,
    content: [
      { type: 'text', text: 'done' },
      { type: 'image', source: { mediaType: 'image/png', base64: 'AA' } },
    ],
  });
  const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
  const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
  const ask = user({ type: 'text', text: 'Do it.' });
  const proof = (value: string): Part => ({
    type: 'reasoning',
    text: '',
    signature: { origin: 'gemini', kind: 'signature', value },
  });

  it('starts and ends with the user, and is never empty', () => {
    expect(contentsOf([])).toEqual([{ role: 'user', parts: [{ text: '.' }] }]);
    expect(contentsOf([user({ type: 'text', text: '' })])).toEqual([{ role: 'user', parts: [{ text: ' ' }] }]);
    const { body, dropped } = encode({ turns: [assistant({ type: 'text', text: 'So' })] });
    expect(body['contents']).toMatchObject([{ role: 'user' }, { role: 'model' }, { role: 'user' }]);
    expect(dropped).toContain('messages.prefill');
  });

  it('writes one result per call, in order, in a separate content', () => {
    const contents = contentsOf([
      ask,
      assistant(call('1'), call('2', 'g')),
      user({ type: 'text', text: 'and?' }, result('2')),
    ]);
    expect(contents).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [
          {
            functionCall: { id: '1', name: 'f', args: { a: 1 } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
          { functionCall: { id: '2', name: 'g' } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: '1', name: 'f', response: { error: expect.any(String) } } },
          {
            functionResponse: {
              id: '2',
              name: 'g',
              response: { output: 'done' },
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }],
            },
          },
        ],
      },
      { role: 'user', parts: [{ text: 'and?' }] },
    ]);
  });

  it('signs the first call of each step with its own signature, and from Gemini 3 on with the placeholder', () => {
    const turns = [ask, assistant(proof('c2ln'), call('1'), call('2')), user(result('1'), result('2'))];
    expect(contentsOf(turns)).toMatchObject([{}, { parts: [{ thoughtSignature: 'c2ln' }, {}] }, {}]);
    expect(JSON.stringify(contentsOf(turns))).not.toContain('skip_');
    const unsigned = [ask, assistant(call('1')), user(result('1'))];
    expect(JSON.stringify(contentsOf(unsigned))).toContain('skip_thought_signature_validator');
    expect(JSON.stringify(contentsOf(unsigned, 'gemini-2.5-pro'))).not.toContain('thoughtSignature');
  });

  it('moves a signature before a text to the next call, and a last one to an empty text', () => {
    const said: Part = { type: 'text', text: 'Wait.' };
    expect(contentsOf([ask, assistant(proof('c2ln'), said, call('1')), user(result('1'))])).toMatchObject([
      {},
      { parts: [{ text: 'Wait.' }, { functionCall: {}, thoughtSignature: 'c2ln' }] },
      {},
    ]);
    expect(contentsOf([ask, assistant(said, proof('c2ln')), ask])).toMatchObject([
      {},
      { parts: [{ text: 'Wait.' }, { text: '', thoughtSignature: 'c2ln' }] },
      {},
    ]);
  });

  it('omits and reports thoughts of other vendors', () => {
    const thought: Part = {
      type: 'reasoning',
      text: 'Hm.',
      signature: { origin: 'anthropic-messages', kind: 'signature', value: 'x' },
    };
    const { body, dropped } = encode({ turns: [ask, assistant(thought, { type: 'text', text: 'So.' }), ask] });
    expect(JSON.stringify(body)).not.toContain('Hm.');
    expect(dropped).toEqual(['messages.reasoning_content']);
  });

  it('puts images of results after them for models that do not accept them inside', () => {
    const contents = contentsOf([ask, assistant(call('1')), user(result('1'))], 'gemini-2.5-flash');
    expect(contents).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: 'done' } } }] },
      { parts: [{ inlineData: { data: 'AA' } }] },
    ]);
    expect(JSON.stringify(contents)).not.toContain('"parts":[{"inlineData":{"mimeType":"image/png","data":"AA"}}]}}');
  });

  it('leaves files at a URL to the vendor, with their type', () => {
    const contents = contentsOf([
      user(
        { type: 'image', source: { url: 'https://a.test/x.png?y=1' } },
        { type: 'file', source: { url: 'https://a.test/x' } },
        { type: 'video', source: { url: 'https://youtu.be/abc' } },
      ),
    ]);
    expect(contents).toMatchObject([
      {
        parts: [
          { fileData: { fileUri: 'https://a.test/x.png?y=1', mimeType: 'image/png' } },
          { fileData: { fileUri: 'https://a.test/x', mimeType: 'application/pdf' } },
          { fileData: { fileUri: 'https://youtu.be/abc' } },
        ],
      },
    ]);
  });

  it('writes generationConfig from the neutral form, and reports other fields', () => {
    const { body, dropped } = encode({
      maxOutputTokens: 9,
      temperature: 1,
      topP: 0.5,
      topK: 3,
      seed: 1,
      stop: ['a', 'b', 'c', 'd', 'e', 'f'],
      presencePenalty: 1,
      frequencyPenalty: 2,
      logprobs: 2,
      choices: 2,
      outputFormat: { type: 'json-schema', name: 'x', schema: { type: 'object' } },
      outputKinds: ['text', 'audio'],
      speech: { voice: 'Kore', format: 'wav' },
      parallelToolCalls: false,
      verbosity: 'low',
      userId: 'u',
      metadata: { a: 'b' },
      cacheKey: 'k',
      system: [{ type: 'text', text: 's', cache: '5m' }],
    });
    expect(body['generationConfig']).toEqual({
      maxOutputTokens: 9,
      temperature: 1,
      topP: 0.5,
      topK: 3,
      seed: 1,
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
      presencePenalty: 1,
      frequencyPenalty: 2,
      responseLogprobs: true,
      logprobs: 2,
      candidateCount: 2,
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
      responseModalities: ['TEXT', 'AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    });
    expect(dropped.toSorted()).toEqual([
      'audio.format',
      'metadata',
      'parallel_tool_calls',
      'prompt_cache_key',
      'stop',
      'user',
      'verbosity',
    ]);
  });

  it('declares tools by JSON Schema, without a schema if there are no parameters', () => {
    const { body } = encode({
      tools: [
        { name: 'f', description: 'd', parameters: { type: 'object' } },
        { name: 'g', parameters: undefined },
      ],
      toolChoice: { type: 'tool', name: 'f' },
    });
    expect(body).toMatchObject({
      tools: [
        {
          functionDeclarations: [
            { name: 'f', description: 'd', parametersJsonSchema: { type: 'object' } },
            { name: 'g' },
          ],
        },
      ],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    });
  });

  it('keeps the client’s functions if the model accepts either them or Google’s tools', () => {
    const fields: Partial<Conversation> = {
      tools: [{ name: 'f', parameters: undefined }],
      vendorTools: [{ type: 'web-search', maxUses: 2 }],
    };
    const old = encode(fields, 'gemini-2.5-pro');
    expect(old.body['tools']).toEqual([{ functionDeclarations: [{ name: 'f' }] }]);
    expect(old.dropped).toEqual(['tools.web-search']);
    const now = encode(fields);
    expect(now.body).toMatchObject({
      tools: [{ functionDeclarations: [{ name: 'f' }] }, { googleSearch: {} }],
      toolConfig: { includeServerSideToolInvocations: true },
    });
    expect(now.dropped).toEqual(['tools.web-search.maxUses']);
  });
});
