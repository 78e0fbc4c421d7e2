import { describe, expect, it } from 'vitest';
import type { Conversation, Part } from '../../../../model/conversation.ts';
import { startCpuTimer } from '../../../../testing/cpu-timer.ts';
import { decodeRequest } from './decode-request.ts';

const hi = { role: 'user', parts: [{ text: 'hi' }] };

function decode(fields: Record<string, unknown>): Conversation {
  return decodeRequest({ contents: [hi], ...fields });
}

function partsOf(...parts: unknown[]): Part[] {
  return decodeRequest({ contents: [{ role: 'model', parts }] }).turns.flatMap((turn) => turn.parts);
}

describe('decoding a Gemini request', () => {
  it('reads both spellings of fields alike', () => {
    const camel = decode({
      systemInstruction: { parts: [{ text: 'Be kind.' }] },
      generationConfig: { maxOutputTokens: 5, stopSequences: ['x'], thinkingConfig: { thinkingBudget: 512 } },
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      tools: [{ functionDeclarations: [{ name: 'f' }, { name: 'g' }] }],
    });
    const snake = decode({
      system_instruction: { parts: [{ text: 'Be kind.' }] },
      generation_config: { max_output_tokens: 5, stop_sequences: ['x'], thinking_config: { thinking_budget: 512 } },
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

  it('compares thousands of tools with the allowed names in milliseconds', () => {
    const allowedFunctionNames = Array.from({ length: 100_000 }, (_, nth) => `other ${nth}`);
    const functionDeclarations = Array.from({ length: 10_000 }, (_, nth) => ({ name: `tool ${nth}` }));
    const toolConfig = { functionCallingConfig: { mode: 'ANY', allowedFunctionNames } };
    const readCpuMs = startCpuTimer();
    decode({ toolConfig, tools: [{ functionDeclarations }] });
    expect(readCpuMs()).toBeLessThan(1_000);
  });

  it('reads a content without a role, or with the role `function`, as the user’s', () => {
    const { turns } = decodeRequest({
      contents: [{ parts: [{ text: 'a' }] }, { role: 'function', parts: [{ text: 'b' }] }],
    });
    expect(turns.map(({ role }) => role)).toEqual(['user', 'user']);
    expect(() => decodeRequest({ contents: [{ role: 'system', parts: [] }] })).toThrow('user or model');
  });

  it('matches calls and results without ids by name, in order', () => {
    const call = (name: string): unknown => ({ functionCall: { name, args: { n: name } } });
    const result = (name: string, output: string): unknown => ({ functionResponse: { name, response: { output } } });
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

  it('matches calls and results over several contents of one turn', () => {
    const { turns } = decodeRequest({
      contents: [
        ...['a', 'b'].map((name) => ({ role: 'model', parts: [{ functionCall: { name } }] })),
        { parts: ['a', 'b'].map((name) => ({ functionResponse: { name, response: {} } })) },
      ],
    });
    expect(turns.at(-1)?.parts).toMatchObject([{ callId: 'call_0' }, { callId: 'call_1' }]);
  });

  it('matches tens of thousands of calls without delay', () => {
    const many = <T>(make: () => T): T[] => Array.from({ length: 24_000 }, make);
    const contents = [
      { role: 'model', parts: many(() => ({ functionCall: { name: 'a' } })) },
      { parts: many(() => ({ functionResponse: { name: 'b' } })) },
    ];
    const readCpuMs = startCpuTimer();
    decodeRequest({ contents });
    expect(readCpuMs()).toBeLessThan(1_000);
  });

  it('keeps given ids, errors, objects and images of results', () => {
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

  it('puts a signature before the signed part, and joins thoughts', () => {
    const parts = partsOf(
      { text: 'Let me ', thought: true },
      { text: 'see.', thought: true },
      { functionCall: { name: 'f', args: {} }, thoughtSignature: 'c2ln' },
    );
    expect(parts).toMatchObject([
      { type: 'reasoning', text: 'Let me see.' },
      { type: 'reasoning', text: '', signature: { origin: 'gemini', kind: 'signature', value: 'c2ln' } },
      { type: 'tool-call', name: 'f' },
    ]);
  });

  it('recognizes another vendor’s signature', () => {
    const carried = Buffer.from('switchyard.anthropic-messages.signature.abc').toString('base64');
    expect(partsOf({ text: 'Hm.', thought: true }, { thought: true, text: '', thoughtSignature: carried })).toEqual([
      { type: 'reasoning', text: 'Hm.', signature: { origin: 'anthropic-messages', kind: 'signature', value: 'abc' } },
    ]);
  });

  it('reads files by their type, and reports files that only Google can read', () => {
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

  it('reads executed code as one call', () => {
    expect(
      partsOf(
        { executableCode: { language: 'PYTHON', code: 'print(1)' } },
        { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1\n' } },
      ),
    ).toMatchObject([
      { type: 'vendor-call', call: { tool: 'code-execution', input: 'print(1)', output: '1\n', isError: false } },
    ]);
  });

  it('reads Google’s own tools and reports others', () => {
    const { vendorTools, unsupported } = decode({
      tools: [{ googleSearch: {} }, { codeExecution: {} }, { urlContext: {} }, { googleMaps: {} }],
      toolConfig: { retrievalConfig: { languageCode: 'en' } },
      safetySettings: [{ category: 'x', threshold: 'OFF' }],
      labels: { a: 'b' },
    });
    expect(vendorTools).toEqual([{ type: 'web-search' }, { type: 'code-execution' }, { type: 'url-fetch' }]);
    expect(unsupported).toEqual(['safetySettings', 'labels', 'tools.googleMaps', 'toolConfig.retrievalConfig']);
  });

  it('reads all of generationConfig, and reports fields without a neutral form', () => {
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

  it('refuses a request that refers to content stored at Google', () => {
    expect(() => decode({ cachedContent: 'cachedContents/x' })).toThrow('cachedContent');
  });
});
