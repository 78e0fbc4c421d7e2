import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import type { ClientRequest } from '../../../model/client-request.ts';
import { InvalidRequestError } from '../../../model/invalid-request-error.ts';
import { fixture, geminiRequest, sampleRequest, sampleTarget } from '../../../testing/sample-requests.ts';

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const target = sampleTarget('gemini', { model: 'gemini-3-flash-preview' });

// oxlint-disable-next-line typescript/no-explicit-any -- what a test looks into
type Loose = any;

function bodyFor(request: ClientRequest, provider = target): Loose {
  return JSON.parse(planExchange(request, provider).body.toString());
}

/** Returns the client's response for an upstream's response. */
function answered(request: ClientRequest, body: Buffer | string, provider = target): string {
  const reader = planExchange(request, provider).readResponse();
  return Buffer.concat([reader.push(Buffer.from(body)), reader.end()]).toString();
}

function dataOf(text: string): Loose[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: {'));
  return lines.map((line) => JSON.parse(line.slice('data: '.length)));
}

describe('a request to the Gemini API', () => {
  it('has model and action in its URL, and always requests events', () => {
    const url = (stream: boolean, model: string): string =>
      planExchange(geminiRequest({ contents }, { stream, framing: 'json-array' }), { ...target, model }).url;
    const base = 'https://generativelanguage.googleapis.com/v1beta';
    expect(url(false, 'gemini-2.5-pro')).toBe(`${base}/models/gemini-2.5-pro:generateContent`);
    expect(url(true, 'tunedModels/a b')).toBe(`${base}/tunedModels/a%20b:streamGenerateContent?alt=sse`);
    const pasted = { ...target, baseUrl: `${base}/`, model: 'm' };
    expect(planExchange(geminiRequest({ contents }), pasted).url).toBe(`${base}/models/m:generateContent`);
  });

  it.each(['m/../models/dearer', '../files', 'models/.', 'm/..'])(
    'refuses the model name %s, which would lead to another model',
    (model) => {
      const plan = () => planExchange(geminiRequest({ contents }), { ...target, model });
      expect(plan).toThrow(InvalidRequestError);
    },
  );

  it('sends the key in a header and the client’s own bytes', () => {
    const request = geminiRequest({ contents, safetySettings: [{ a: 1 }] });
    const { headers, body } = planExchange(request, target);
    expect(headers.join(' ')).toContain('x-goog-api-key sample-secret-key');
    expect(body).toBe(request.body);
  });

  it('cannot choose another model or a more expensive service', () => {
    const request = geminiRequest({ model: 'models/other', contents, serviceTier: 'priority' });
    const { body, dropped } = planExchange(request, target);
    expect(JSON.parse(body.toString())).toEqual({ contents });
    expect(dropped).toEqual(['serviceTier']);
  });
});

describe('fields that determine the cost', () => {
  it.each([
    [{ generationConfig: { maxOutputTokens: 7, candidateCount: 2 }, tools: [{}] }],
    [{ generation_config: { max_output_tokens: 7, candidate_count: 2 }, tools: [{}] }],
  ])('are read in %j', (fields) => {
    const { facts } = geminiRequest({ contents, ...fields }, { stream: true });
    expect(facts).toMatchObject({ maxOutputTokens: 7, choices: 2, hasTools: true, stream: true });
  });

  it.each([
    [{ generationConfig: {}, generation_config: {} }, 'generationConfig'],
    [{ generationConfig: { maxOutputTokens: 1, max_output_tokens: 9 } }, 'maxOutputTokens'],
    [{ GenerationConfig: {} }, 'generationConfig'],
    [{ contents: 'hi' }, 'contents'],
    [{ generationConfig: { candidateCount: 0 } }, 'candidateCount'],
  ])('are refused in %j', (fields, name) => {
    expect(() => geminiRequest({ contents, ...fields })).toThrow(name);
  });

  it('estimates a small cost for an image, independent of its bytes', () => {
    const data = 'A'.repeat(400_000);
    for (const part of [
      { inlineData: { mimeType: 'image/png', data } },
      { inline_data: { mime_type: 'image/png', data } },
      { functionResponse: { name: 'f', response: {}, parts: [{ inlineData: { mimeType: 'image/png', data } }] } },
    ]) {
      const { facts } = geminiRequest({ contents: [{ parts: [part] }] });
      expect(facts.inputTokensEstimate).toBeLessThan(1_500);
      expect(facts.inputTokensEstimate).toBeGreaterThan(200);
    }
    const words = geminiRequest({ contents: [{ parts: [{ text: data }] }] });
    expect(words.facts.inputTokensEstimate).toBeGreaterThan(50_000);
  });
});

describe('a passing Gemini stream', () => {
  it('passes a stream through unchanged, counts call arguments and completes at the last finish reason', () => {
    const body = fixture('gemini/stream-tools.sse');
    const reader = planExchange(geminiRequest({ contents }, { stream: true }), target).readResponse();
    expect(reader.push(body).equals(body)).toBe(true);
    reader.end();
    expect(reader.meter).toMatchObject({ finished: true, usage: { input: 20, output: 12, reasoning: 5 } });
    const calls = 'get_weather{"city":"Oslo"}get_weather{"city":"Bergen"}';
    expect(reader.meter.deliveredCharacters).toBe('I look it up.'.length + calls.length);
  });

  it('completes only when all requested candidates have ended', () => {
    const request = geminiRequest({ contents, generationConfig: { candidateCount: 2 } }, { stream: true });
    const reader = planExchange(request, target).readResponse();
    reader.push(Buffer.from('data: {"candidates":[{"finishReason":"STOP"}]}\n\n'));
    expect(reader.meter.finished).toBe(false);
    reader.push(Buffer.from('data: {"candidates":[{"finishReason":"STOP","index":1}]}\n\n'));
    expect(reader.meter.finished).toBe(true);
  });

  it('completes a stream whose prompt was blocked', () => {
    const reader = planExchange(geminiRequest({ contents }, { stream: true }), target).readResponse();
    const chunk = '{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":4}}';
    reader.push(Buffer.from(`data: ${chunk}\n\n`));
    expect(reader.end().length).toBe(0);
    expect(reader.meter.usage).toMatchObject({ input: 4, output: 0 });
  });
});

/** As Gemini CLI asks: system instruction, JSON Schema, thoughts, a stream of events. */
const cli = {
  systemInstruction: { role: 'user', parts: [{ text: 'You are an agent.' }] },
  tools: [
    {
      functionDeclarations: [
        {
          name: 'read_file',
          description: 'Reads a file.',
          parametersJsonSchema: { type: 'object', properties: { path: { type: 'string' } } },
        },
      ],
    },
  ],
  generationConfig: {
    temperature: 1,
    topP: 0.95,
    topK: 64,
    thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' },
  },
};

describe('a Gemini agent', () => {
  const upstream = sampleTarget('custom', { model: 'some-model' });
  const asEvents = { stream: true, framing: 'sse' } as const;

  it('loops over tools with a chat-only upstream', () => {
    const first = geminiRequest({ ...cli, contents }, asEvents);
    expect(bodyFor(first, upstream)).toMatchObject({
      model: 'some-model',
      stream: true,
      messages: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'user', content: 'hi' },
      ],
      tools: [{ function: { name: 'read_file', parameters: { properties: { path: { type: 'string' } } } } }],
      reasoning_effort: 'high',
    });
    const deltas = [
      { reasoning_content: 'I read both.' },
      { tool_calls: [{ index: 0, id: 'c0', function: { name: 'read_file', arguments: '{"path":' } }] },
      { tool_calls: [{ index: 1, id: 'c1', function: { name: 'read_file', arguments: '{"path":"b"}' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"a"}' } }] },
    ];
    const chunks = [
      ...deltas.map((delta) => ({ id: 'x', model: 'm', choices: [{ index: 0, delta }] })),
      { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { id: 'x', choices: [], usage: { prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 } },
    ];
    const body = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    const seen = dataOf(answered(first, `${body}data: [DONE]\n\n`, upstream));
    const parts = seen.flatMap((chunk) => chunk.candidates[0].content.parts);
    expect(parts).toEqual([
      { text: 'I read both.', thought: true },
      { functionCall: { id: 'c0', name: 'read_file', args: { path: 'a' } } },
      { functionCall: { id: 'c1', name: 'read_file', args: { path: 'b' } } },
    ]);
    expect(seen.at(-1)).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 8 },
    });
    const results = parts
      .slice(1)
      .map(({ functionCall: { id, name, args } }) => ({
        functionResponse: { id, name, response: { output: `of ${args.path}` } },
      }));
    // The client keeps no thoughts.
    const second = geminiRequest(
      { ...cli, contents: [...contents, { role: 'model', parts: parts.slice(1) }, { role: 'user', parts: results }] },
      asEvents,
    );
    expect(bodyFor(second, upstream).messages.slice(2)).toMatchObject([
      { role: 'assistant', tool_calls: [{ id: 'c0', function: { arguments: '{"path":"a"}' } }, { id: 'c1' }] },
      { role: 'tool', tool_call_id: 'c0', content: 'of a' },
      { role: 'tool', tool_call_id: 'c1', content: 'of b' },
    ]);
  });

  it('loops over tools with Claude, whose signed thoughts are returned with their texts', () => {
    const claude = sampleTarget('anthropic', { model: 'claude-sonnet-4-5' });
    const first = geminiRequest({ ...cli, contents });
    const answer = {
      id: 'msg',
      model: 'claude',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'tool_use', id: 't0', name: 'read_file', input: { path: 'a' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 5, output_tokens: 6 },
    };
    const [{ content }] = JSON.parse(answered(first, JSON.stringify(answer), claude)).candidates;
    const response = { functionResponse: { name: 'read_file', response: { output: 'text' } } };
    const second = geminiRequest({ ...cli, contents: [...contents, content, { role: 'user', parts: [response] }] });
    expect(bodyFor(second, claude)).toMatchObject({
      thinking: { type: 'enabled' },
      messages: [
        {},
        { content: answer.content },
        { content: [{ type: 'tool_result', tool_use_id: 't0', content: [{ text: 'text' }] }] },
      ],
    });
  });
});

describe('a client of another dialect with Gemini 3', () => {
  const tool = { name: 'get_weather', parameters: { type: 'object' } };
  const expected = [
    { role: 'user' },
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'get_weather', args: { city: 'Oslo' } }, thoughtSignature: 'c2lnbmF0dXJl' },
        { functionCall: { args: { city: 'Bergen' } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'get_weather', response: { output: 'cold' } } },
        { functionResponse: { name: 'get_weather', response: { output: 'rain' } } },
      ],
    },
  ];

  it('keeps the signature over the turns of a tool loop: OpenAI', () => {
    const user = { role: 'user', content: 'hi' };
    const tools = [{ type: 'function', function: tool }];
    const ask = (messages: unknown[]): ClientRequest => sampleRequest('openai-chat', { messages, tools, stream: true });
    const deltas = dataOf(answered(ask([user]), fixture('gemini/stream-tools.sse'))).flatMap(
      (chunk) => chunk.choices[0]?.delta ?? [],
    );
    const calls: Loose[] = [];
    for (const { index, ...call } of deltas.flatMap((delta) => delta.tool_calls ?? [])) {
      calls[index] ??= call;
      calls[index].function.arguments ||= call.function.arguments;
    }
    const details = deltas.flatMap((delta) => delta.reasoning_details ?? []);
    const assistant = { role: 'assistant', content: null, tool_calls: calls, reasoning_details: details };
    const results = ['cold', 'rain'].map((content, index) => ({
      role: 'tool',
      tool_call_id: calls[index].id,
      content,
    }));
    const sent = bodyFor(ask([user, assistant, ...results]));
    expect(sent.contents).toMatchObject(expected);
    expect(JSON.stringify(sent).match(/thoughtSignature/g)).toHaveLength(1);
  });

  it('keeps the signature over the turns of a tool loop: Anthropic', () => {
    const user = { role: 'user', content: 'hi' };
    const tools = [{ name: tool.name, input_schema: tool.parameters }];
    const ask = (messages: unknown[], stream: boolean): ClientRequest =>
      sampleRequest('anthropic-messages', { messages, tools, stream, thinking: { type: 'adaptive' } });
    const whole = {
      responseId: 'r',
      candidates: [
        {
          content: {
            parts: dataOf(fixture('gemini/stream-tools.sse').toString()).flatMap(
              (chunk) => chunk.candidates[0].content.parts,
            ),
          },
          finishReason: 'STOP',
        },
      ],
    };
    const { content } = JSON.parse(answered(ask([user], false), JSON.stringify(whole)));
    const ids = content.flatMap((block: Loose) => (block.type === 'tool_use' ? [block.id] : []));
    const results = ['cold', 'rain'].map((text, index) => ({
      type: 'tool_result',
      tool_use_id: ids[index],
      content: text,
    }));
    const messages = [user, { role: 'assistant', content }, { role: 'user', content: results }];
    const sent = bodyFor(ask(messages, true));
    expect(JSON.stringify(sent).match(/thoughtSignature/g)).toHaveLength(1);
    const [, { parts }] = sent.contents;
    // Its own thought goes back with it.
    expect(parts[0]).toEqual({ text: 'I look it up.', thought: true });
    expect([sent.contents[0], { role: 'model', parts: parts.slice(1) }, sent.contents[2]]).toMatchObject(expected);
  });

  it('uses the placeholder if the signature was lost', () => {
    const assistant = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    };
    const messages = [{ role: 'user', content: 'hi' }, assistant, { role: 'tool', tool_call_id: 'c', content: 'cold' }];
    const sent = bodyFor(sampleRequest('openai-chat', { messages }));
    expect(sent.contents[1].parts[0].thoughtSignature).toBe('skip_thought_signature_validator');
  });
});
