import { describe, expect, it } from 'vitest';
import type { Conversation, Part, Turn } from '../../conversation.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const hi = { role: 'user', parts: [{ text: 'hi' }] };

function decode(fields: Record<string, unknown>): Conversation {
  return decodeRequest({ contents: [hi], ...fields });
}

function partsOf(...parts: unknown[]): Part[] {
  return decodeRequest({ contents: [{ role: 'model', parts }] }).turns.flatMap((turn) => turn.parts);
}

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

describe('a request that is read', () => {
  it('says the same in both spellings', () => {
    const camel = decode({
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      generationConfig: { maxOutputTokens: 5, stopSequences: ['x'], thinkingConfig: { thinkingBudget: 512 } },
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
    });
    const snake = decode({
      system_instruction: { parts: [{ text: 'Be kind.' }] },
      generation_config: {
        max_output_tokens: 5,
        stop_sequences: ['x'],
        thinking_config: { thinking_budget: 512 },
      },
      tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
      tools: [{ function_declarations: [{ name: 'f' }, { name: 'g' }] }],
    });
    expect(snake).toEqual(camel);
    expect(camel).toMatchObject({
      system: [{ text: 'Be kind.' }],
      maxOutputTokens: 5,
      stop: ['x'],
      reasoning: { budgetTokens: 512 },
      toolChoice: { type: 'tool', name: 'f' },
      tools: [{ name: 'f' }],
      unsupported: [],
    });
  });

  it('takes a content without a role for the user’s, and `function` too', () => {
    const { turns } = decodeRequest({
      contents: [{ parts: [{ text: 'a' }] }, { role: 'function', parts: [{ text: 'b' }] }],
    });
    expect(turns.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(() => decodeRequest({ contents: [{ role: 'system', parts: [] }] })).toThrow('user or model');
  });

  it('matches calls and results without ids by name, in their order', () => {
    const call = (name: string): unknown => ({ functionCall: { name, args: { n: name } } });
    const result = (name: string, output: string): unknown => ({
      functionResponse: { name, response: { output } },
    });
    const { turns } = decodeRequest({
      contents: [
        hi,
        { role: 'model', parts: [call('a'), call('b'), call('a')] },
        { role: 'user', parts: [result('b', 'of b'), result('a', 'first a'), result('a', 'second a')] },
      ],
    });
    const [, calls, results] = turns;
    expect(calls?.parts).toMatchObject([{ callId: 'call_0' }, { callId: 'call_1' }, { callId: 'call_2' }]);
    expect(results?.parts).toMatchObject([
      { callId: 'call_1', content: [{ text: 'of b' }] },
      { callId: 'call_0', content: [{ text: 'first a' }] },
      { callId: 'call_2', content: [{ text: 'second a' }] },
    ]);
  });

  it('matches them over several contents of one turn', () => {
    const { turns } = decodeRequest({
      contents: [
        ...['a', 'b'].map((name) => ({ role: 'model', parts: [{ functionCall: { name } }] })),
        { parts: ['a', 'b'].map((name) => ({ functionResponse: { name, response: {} } })) },
      ],
    });
    expect(turns.at(-1)?.parts).toMatchObject([{ callId: 'call_0' }, { callId: 'call_1' }]);
  });

  it('matches tens of thousands of them in no time', () => {
    const many = <T>(make: () => T): T[] => Array.from({ length: 24_000 }, make);
    const contents = [
      { role: 'model', parts: many(() => ({ functionCall: { name: 'a' } })) },
      { parts: many(() => ({ functionResponse: { name: 'b' } })) },
    ];
    const startedAt = performance.now();
    decodeRequest({ contents });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('keeps ids that were given, errors, objects and pictures of results', () => {
    const { turns } = decodeRequest({
      contents: [
        { role: 'model', parts: [{ functionCall: { id: 'x', name: 'a' } }] },
        {
          parts: [
            {
              functionResponse: {
                id: 'x',
                name: 'a',
                response: { error: { why: 'no' } },
                parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }],
              },
            },
          ],
        },
      ],
    });
    expect(turns[1]?.parts).toEqual([
      {
        type: 'tool-result',
        callId: 'x',
        isError: true,
        content: [
          { type: 'text', text: '{"why":"no"}' },
          { type: 'image', source: { mediaType: 'image/png', base64: 'AA' } },
        ],
      },
    ]);
  });

  it('puts a signature in front of what it signs, and thoughts together', () => {
    const parts = partsOf(
      { text: 'Let me ', thought: true },
      { text: 'see.', thought: true },
      { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' },
    );
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'Let me see.' },
      { type: 'reasoning', text: '', proof: { origin: 'gemini', kind: 'signature', value: 'c2ln' } },
      { type: 'tool-call', name: 'f' },
    ]);
  });

  it('knows again what another vendor signed', () => {
    const carried = Buffer.from('switchyard.anthropic-messages.signature.abc').toString('base64');
    expect(
      partsOf({ text: 'Hm.', thought: true }, { thought: true, text: '', thoughtSignature: carried }),
    ).toEqual([
      {
        type: 'reasoning',
        text: 'Hm.',
        proof: { origin: 'anthropic-messages', kind: 'signature', value: 'abc' },
      },
    ]);
  });

  it('reads files by what they are, and says which only Google could read', () => {
    const { turns, unsupported } = decodeRequest({
      contents: [
        {
          parts: [
            { inline_data: { mime_type: 'image/png', data: 'AA' } },
            { inlineData: { mimeType: 'audio/wav', data: 'AA' } },
            { inlineData: { mimeType: 'video/mp4', data: 'AA' }, videoMetadata: { fps: 1 } },
            { inlineData: { mimeType: 'application/pdf', data: 'AA' } },
            { fileData: { fileUri: 'https://a.test/b.png', mimeType: 'image/png' } },
            { fileData: { fileUri: 'gs://bucket/b.png', mimeType: 'image/png' } },
          ],
        },
      ],
    });
    expect(turns[0]?.parts.map(({ type }) => type)).toEqual(['image', 'audio', 'video', 'file', 'image']);
    expect(unsupported).toEqual(['contents.parts.videoMetadata', 'contents.parts.fileData']);
  });

  it('reads code that ran as one call', () => {
    expect(
      partsOf(
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
      ),
    ).toMatchObject([
      {
        type: 'vendor-call',
        call: { tool: 'code-execution', input: 'print(1)', output: '1\n', isError: false },
      },
    ]);
  });

  it('reads Google’s own tools and names the others', () => {
    const { vendorTools, unsupported } = decode({
      tools: [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }, { googleMaps: {} }],
      toolConfig: { retrievalConfig: { languageCode: 'en' } },
      safetySettings: [{ category: 'x', threshold: 'OFF' }],
      labels: { a: 'b' },
    });
    expect(vendorTools).toEqual([{ type: 'web-search' }, { type: 'code-execution' }, { type: 'url-fetch' }]);
    expect(unsupported).toEqual([
      'safetySettings',
      'labels',
      'tools.googleMaps',
      'toolConfig.retrievalConfig',
    ]);
  });

  it('reads all of generationConfig, and names what nobody else has', () => {
    const conversation = decode({
      generationConfig: {
        candidateCount: 2,
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        seed: 7,
        presencePenalty: 1,
        frequencyPenalty: -1,
        responseLogprobs: true,
        logprobs: 3,
        responseMimeType: 'application/json',
        responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } },
        responseModalities: ['TEXT', 'IMAGE'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
        thinkingConfig: { thinkingLevel: 'HIGH', includeThoughts: true },
        mediaResolution: 'MEDIA_RESOLUTION_LOW',
      },
    });
    expect(conversation).toMatchObject({
      choices: 2,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 1,
      frequencyPenalty: -1,
      logprobs: 3,
      outputFormat: {
        type: 'json-schema',
        schema: { type: 'object', properties: { a: { type: ['string', 'null'] } } },
      },
      outputKinds: ['text', 'image'],
      speech: { voice: 'Kore' },
      reasoning: { effort: 'high', isShown: true },
      unsupported: ['generationConfig.mediaResolution'],
    });
  });

  it.each([
    [{ thinkingBudget: 0 }, { effort: 'none' }],
    [{ thinkingBudget: -1, includeThoughts: true }, { isShown: true }],
    [{ thinkingBudget: -1 }, undefined],
    [{ thinking_level: 'low' }, { effort: 'low' }],
  ])('reads thinkingConfig %j', (thinkingConfig, reasoning) => {
    expect(decode({ generationConfig: { thinkingConfig } }).reasoning).toEqual(reasoning);
  });

  it('is refused where it rests on what lies at Google', () => {
    expect(() => decode({ cachedContent: 'cachedContents/x' })).toThrow('cachedContent');
  });
});

describe('a request that is written', () => {
  const call = (callId: string, name = 'f'): Part => ({
    type: 'tool-call',
    callId,
    name,
    arguments: '{"a":1}',
  });
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
    proof: { origin: 'gemini', kind: 'signature', value },
  });

  it('begins and ends with the user, and is never empty', () => {
    expect(contentsOf([])).toEqual([{ role: 'user', parts: [{ text: '.' }] }]);
    expect(contentsOf([user({ type: 'text', text: '' })])).toEqual([
      { role: 'user', parts: [{ text: ' ' }] },
    ]);
    const { body, dropped } = encode({ turns: [assistant({ type: 'text', text: 'So' })] });
    expect(body['contents']).toMatchObject([{ role: 'user' }, { role: 'model' }, { role: 'user' }]);
    expect(dropped).toContain('messages.prefill');
  });

  it('has one result for each call, in the order of the calls, alone in its content', () => {
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

  it('signs the first call of each step with its own proof, and only from Gemini 3 on with the sentinel', () => {
    const turns = [ask, assistant(proof('c2ln'), call('1'), call('2')), user(result('1'), result('2'))];
    expect(contentsOf(turns)).toMatchObject([{}, { parts: [{ thoughtSignature: 'c2ln' }, {}] }, {}]);
    expect(JSON.stringify(contentsOf(turns))).not.toContain('skip_');
    const unsigned = [ask, assistant(call('1')), user(result('1'))];
    expect(JSON.stringify(contentsOf(unsigned))).toContain('skip_thought_signature_validator');
    expect(JSON.stringify(contentsOf(unsigned, 'gemini-2.5-pro'))).not.toContain('thoughtSignature');
  });

  it('gives a proof that lies before a text to the call behind it, and one at the end an empty text', () => {
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

  it('leaves out, and names, thoughts of other vendors', () => {
    const thought: Part = {
      type: 'reasoning',
      text: 'Hm.',
      proof: { origin: 'anthropic-messages', kind: 'signature', value: 'x' },
    };
    const { body, dropped } = encode({
      turns: [ask, assistant(thought, { type: 'text', text: 'So.' }), ask],
    });
    expect(JSON.stringify(body)).not.toContain('Hm.');
    expect(dropped).toEqual(['messages.reasoning_content']);
  });

  it('puts pictures of results behind them for models that take none within', () => {
    const contents = contentsOf([ask, assistant(call('1')), user(result('1'))], 'gemini-2.5-flash');
    expect(contents).toMatchObject([
      {},
      {},
      { parts: [{ functionResponse: { response: { output: 'done' } } }] },
      { parts: [{ inlineData: { data: 'AA' } }] },
    ]);
    expect(JSON.stringify(contents)).not.toContain(
      '"parts":[{"inlineData":{"mimeType":"image/png","data":"AA"}}]}}',
    );
  });

  it('leaves files behind an address to the vendor, with their kind', () => {
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

  it('says in generationConfig what the neutral form says, and names the rest', () => {
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
      'cache_control',
      'metadata',
      'parallel_tool_calls',
      'prompt_cache_key',
      'stop',
      'user',
      'verbosity',
    ]);
  });

  it('declares tools by JSON Schema, and none where there are no parameters', () => {
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

  it('keeps the client’s functions where the model takes either them or Google’s tools', () => {
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
