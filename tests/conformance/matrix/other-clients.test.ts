/** Third-party clients, whose decoders are stricter than the vendors'. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { AIMessageChunk } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, type LanguageModel, streamText, tool } from 'ai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type MatrixScene, startMatrixScene } from './matrix-scene.ts';
import {
  answersByScenario,
  type DialectName,
  dialectNames,
  oslo,
  QUESTION,
  type Scenario,
  SYSTEM,
  weather,
} from './scenario.ts';
import { buildModelName } from './upstreams.ts';

let scene: MatrixScene;
beforeAll(async () => {
  scene = await startMatrixScene();
});
afterAll(() => scene.close());

const models: Readonly<Record<DialectName, (name: string) => LanguageModel>> = {
  'openai-chat': (name) => createOpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1` }).chat(name),
  'openai-responses': (name) => createOpenAI({ apiKey: scene.key, baseURL: `${scene.url}/v1` }).responses(name),
  'anthropic-messages': (name) => createAnthropic({ apiKey: scene.key, baseURL: `${scene.url}/v1` })(name),
  gemini: (name) => createGoogleGenerativeAI({ apiKey: scene.key, baseURL: `${scene.url}/v1beta` })(name),
};

const inputSchema = z.object({ city: z.string() });
const tools = { get_weather: tool({ description: weather.description, inputSchema }) };

function options(client: DialectName, upstream: DialectName, scenario: Scenario) {
  return {
    model: models[client](buildModelName(upstream, scenario)),
    system: SYSTEM,
    prompt: QUESTION,
    maxRetries: 0,
    tools: scenario === 'text' ? {} : tools,
  };
}

describe.each(dialectNames)('the AI SDK as a client that speaks %s', (client) => {
  describe.each(dialectNames)('with a model behind %s', (upstream) => {
    it('reads a complete text and its usage', async () => {
      const { text, finishReason, usage } = await generateText(options(client, upstream, 'text'));
      const { input, output } = answersByScenario.text.usage;
      expect(text).toBe(answersByScenario.text.text);
      expect(finishReason).toBe('stop');
      expect(usage).toMatchObject({ inputTokens: input, outputTokens: output });
    });

    it('reads parallel tool calls from a stream', async () => {
      const streamed = streamText({
        ...options(client, upstream, 'parallel tools'),
        onError: ({ error }) => {
          throw error;
        },
      });
      const calls = await streamed.toolCalls;
      expect(await streamed.text).toBe(answersByScenario['parallel tools'].text);
      expect(calls.map(({ toolName, input }) => ({ name: toolName, input }))).toEqual([
        { name: oslo.name, input: oslo.input },
        { name: oslo.name, input: { city: 'Tromsø' } },
      ]);
      expect(await streamed.finishReason).toBe('tool-calls');
    });
  });
});

describe.each(dialectNames)('LangChain with a model behind %s', (upstream) => {
  const client = (scenario: Scenario): ChatOpenAI =>
    new ChatOpenAI({
      apiKey: scene.key,
      model: buildModelName(upstream, scenario),
      maxRetries: 0,
      configuration: { baseURL: `${scene.url}/v1` },
    });

  it('reads a streamed text', async () => {
    let answer = new AIMessageChunk('');
    for await (const chunk of await client('text').stream(QUESTION)) answer = answer.concat(chunk);
    expect(answer.text).toBe(answersByScenario.text.text);
  });

  it('reads a tool call', async () => {
    const answer = await client('tools')
      .bindTools([{ type: 'function', function: weather }])
      .invoke(QUESTION);
    expect(answer.tool_calls?.map(({ name, args }) => ({ name, input: args }))).toEqual([
      { name: oslo.name, input: oslo.input },
    ]);
  });
});
