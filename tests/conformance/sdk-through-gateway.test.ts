/** The vendors' own client libraries with the gateway, in front of a third-party upstream. */
import Anthropic from '@anthropic-ai/sdk';
import { LLMock } from '@copilotkit/aimock';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANTHROPIC, type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';

const OPENAI = 1;
const GEMINI = 25;
const BEDROCK = 32;
const NOVA = 'amazon.nova-lite-v1:0';
const usage = { prompt_tokens: 21, completion_tokens: 8, total_tokens: 29 };

let mock: LLMock;
let scene: RelayScene;
let openai: OpenAI;
let anthropic: Anthropic;
let google: GoogleGenAI;

beforeAll(async () => {
  mock = new LLMock({ port: 0, host: '127.0.0.1' });
  mock.onMessage('weather', { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}' }], usage });
  mock.onMessage('hello', { content: 'Hello from far away', usage });
  mock.onEmbedding('a sentence', { embedding: [0.1, 0.2, 0.3] });
  await mock.start();
  scene = await startRelayScene();
  await scene.newChannel({
    type: OPENAI,
    base_url: mock.url,
    models: ['gpt-4o', 'text-embedding-3-small'],
    key: 'sk-mock',
  });
  await scene.newChannel({ type: ANTHROPIC, base_url: mock.url, models: ['claude-sonnet-4-5'], key: 'sk-mock' });
  await scene.newChannel({ type: BEDROCK, base_url: mock.url, models: [NOVA], key: 'us-east-1|sample-key' });
  await scene.newChannel({ type: GEMINI, base_url: mock.url, models: ['gemini-2.5-flash'], key: 'sk-mock' });
  openai = new OpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1`, maxRetries: 0 });
  anthropic = new Anthropic({ apiKey: scene.key, baseURL: scene.url, maxRetries: 0 });
  google = new GoogleGenAI({ apiKey: scene.key, httpOptions: { baseUrl: `${scene.url}/gemini` } });
});
afterAll(async () => {
  await scene.close();
  await mock.stop();
});

const tool = {
  name: 'get_weather',
  description: 'Weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};

describe.each(['gpt-4o', 'claude-sonnet-4-5', 'gemini-2.5-flash', NOVA])('the OpenAI client with %s', (model) => {
  it('gets a non-streaming response', async () => {
    const answer = await openai.chat.completions.create({ model, messages: [{ role: 'user', content: 'hello' }] });
    expect(answer.choices[0]?.message.content).toBe('Hello from far away');
    expect(answer.usage?.total_tokens).toBe(29);
  });

  it('gets a stream with the requested usage', async () => {
    const stream = openai.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: 'hello' }],
      stream_options: { include_usage: true },
    });
    const answer = await stream.finalChatCompletion();
    expect(answer.choices[0]?.message.content).toBe('Hello from far away');
    expect(answer.usage?.completion_tokens).toBe(8);
  });

  it('gets a tool call, streamed', async () => {
    const stream = openai.chat.completions.stream({
      model,
      messages: [{ role: 'user', content: 'weather' }],
      tools: [{ type: 'function', function: tool }],
    });
    const answer = await stream.finalChatCompletion();
    const [call] = answer.choices[0]?.message.tool_calls ?? [];
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } });
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe.each(['gpt-4o', 'claude-sonnet-4-5'])('the OpenAI client’s responses with %s', (model) => {
  it('support non-streaming responses', async () => {
    const answer = await openai.responses.create({ model, input: 'hello' });
    expect(answer.output_text).toBe('Hello from far away');
    expect(answer.usage?.total_tokens).toBe(29);
    expect(answer.status).toBe('completed');
  });

  it('support streams', async () => {
    const answer = await openai.responses.stream({ model, input: 'hello' }).finalResponse();
    expect(answer.output_text).toBe('Hello from far away');
    expect(answer.usage?.output_tokens).toBe(8);
  });

  it('call tools', async () => {
    const answer = await openai.responses
      .stream({ model, input: 'weather', tools: [{ type: 'function', ...tool, strict: false }] })
      .finalResponse();
    expect(answer.output.filter((item) => item.type === 'function_call')).toMatchObject([
      { name: 'get_weather', arguments: '{"city":"Oslo"}', status: 'completed' },
    ]);
  });
});

describe('the OpenAI client’s responses', () => {
  it('refuse to continue an unknown response', async () => {
    const model = 'claude-sonnet-4-5';
    const call = openai.responses.create({ model, input: 'hello', previous_response_id: 'resp_1' });
    await expect(call).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    await expect(call).rejects.toMatchObject({ param: 'previous_response_id', code: 'previous_response_not_found' });
  });

  it('continue another model’s calls', async () => {
    const first = await openai.responses.create({
      model: 'gpt-4o',
      input: 'weather',
      tools: [{ type: 'function', ...tool, strict: false }],
    });
    const call = first.output.find((item) => item.type === 'function_call');
    if (call === undefined) throw new Error('no call');
    const answer = await openai.responses.create({
      model: 'claude-sonnet-4-5',
      input: [
        { role: 'user', content: 'weather' },
        call,
        { type: 'function_call_output', call_id: call.call_id, output: 'rain' },
        { role: 'user', content: 'hello' },
      ],
    });
    expect(answer.output_text).toBe('Hello from far away');
  });
});

describe.each(['claude-sonnet-4-5', 'gpt-4o', 'gemini-2.5-flash'])('the Anthropic client with %s', (model) => {
  it('gets a non-streaming response', async () => {
    const answer = await anthropic.messages.create({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hello' }],
    });
    expect(answer.content).toMatchObject([{ type: 'text', text: 'Hello from far away' }]);
  });

  it('gets a stream', async () => {
    const answer = await anthropic.messages
      .stream({ model, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] })
      .finalMessage();
    expect(answer.content).toMatchObject([{ type: 'text', text: 'Hello from far away' }]);
    expect(answer.stop_reason).toBe('end_turn');
    expect(answer.usage.output_tokens).toBe(8);
  });

  it('gets a tool call', async () => {
    const { parameters, ...named } = tool;
    const answer = await anthropic.messages.create({
      model,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'weather' }],
      tools: [{ ...named, input_schema: { ...parameters, type: 'object' } }],
    });
    expect(answer.content).toMatchObject([{ type: 'tool_use', name: 'get_weather', input: { city: 'Oslo' } }]);
    expect(answer.stop_reason).toBe('tool_use');
  });
});

describe.each(['gemini-2.5-flash', 'gpt-4o', 'claude-sonnet-4-5'])('the Google client with %s', (model) => {
  it('gets a non-streaming response', async () => {
    const answer = await google.models.generateContent({ model, contents: 'hello' });
    expect(answer.text).toBe('Hello from far away');
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP');
  });

  it('gets a stream with its usage', async () => {
    let text = '';
    let total: number | undefined;
    for await (const chunk of await google.models.generateContentStream({ model, contents: 'hello' })) {
      text += chunk.text ?? '';
      total = chunk.usageMetadata?.totalTokenCount ?? total;
    }
    expect(text).toBe('Hello from far away');
    expect(total).toBeGreaterThan(0);
  });

  it('gets a tool call, and sends its result', async () => {
    const { name, description, parameters } = tool;
    const config = {
      systemInstruction: 'Be brief.',
      tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }],
      thinkingConfig: { includeThoughts: true, thinkingBudget: 1_024 },
    };
    const chat = google.chats.create({ model, config });
    const answer = await chat.sendMessage({ message: 'weather' });
    expect(answer.functionCalls).toMatchObject([{ name: 'get_weather', args: { city: 'Oslo' } }]);
    const reply = await chat.sendMessage({
      message: [{ functionResponse: { name, response: { output: 'cold' } } }, { text: 'hello' }],
    });
    expect(reply.text).toBe('Hello from far away');
  });
});

describe('the Google client', () => {
  it('gets embeddings', async () => {
    const answer = await google.models.embedContent({ model: 'text-embedding-3-small', contents: ['a sentence'] });
    expect(answer.embeddings?.[0]?.values?.map((value) => Math.fround(value))).toEqual(
      [0.1, 0.2, 0.3].map(Math.fround),
    );
  });
});

describe('the OpenAI client', () => {
  it('gets embeddings', async () => {
    const answer = await openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: 'a sentence',
      encoding_format: 'float',
    });
    expect(answer.data[0]?.embedding).toEqual([0.1, 0.2, 0.3]);
  });

  it('lists the models that the key may use, and gets one', async () => {
    const names = (await openai.models.list()).data.map((model) => model.id);
    expect(names).toEqual([NOVA, 'claude-sonnet-4-5', 'gemini-2.5-flash', 'gpt-4o', 'text-embedding-3-small']);
    expect((await openai.models.retrieve('gpt-4o')).id).toBe('gpt-4o');
    await expect(openai.models.retrieve('gpt-none')).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
  });

  it('throws its own error classes for refusals', async () => {
    const stranger = new OpenAI({ apiKey: 'sk-wrong', baseURL: `${scene.url}/v1`, maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
    mock.nextRequestError(503);
    await expect(
      openai.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    ).rejects.toMatchObject({ status: 503, code: 'server_is_overloaded' });
  });

  it('never sends its key to the upstream', () => {
    expect(JSON.stringify(mock.getRequests())).not.toContain(scene.key);
  });
});
