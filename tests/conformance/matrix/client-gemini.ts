import { type Content, type GenerateContentConfig, type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import type { SendQuestion } from './cell.ts';
import {
  type ClientResult,
  forecast,
  oddlyNamedTool,
  oslo,
  PNG,
  QUESTION,
  RESULT,
  type Scenario,
  SYSTEM,
  weather,
} from './scenario.ts';

export const sendWithGemini: SendQuestion = async ({ scenario, model, stream }, gateway) => {
  const { url, key } = gateway;
  const { models } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
  const { contents, config } = buildRequest(scenario);
  const body = { model, contents, config: { systemInstruction: SYSTEM, ...config } };
  const chunks: GenerateContentResponse[] = [];
  if (stream) {
    for await (const chunk of await models.generateContentStream(body)) chunks.push(chunk);
  } else chunks.push(await models.generateContent(body));
  const headers = chunks[0]?.sdkHttpResponse?.headers ?? {};
  gateway.recordUnsupportedFields(new Headers(headers));
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const calls = parts.flatMap(({ functionCall: call }) =>
    call === undefined ? [] : [{ name: call.name ?? '', input: call.args }],
  );
  const reason = chunks.at(-1)?.candidates?.[0]?.finishReason;
  const usage = chunks.findLast((chunk) => chunk.usageMetadata !== undefined)?.usageMetadata;
  const thoughts = usage?.thoughtsTokenCount ?? 0;
  return {
    text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
    reasoning: parts.map(({ text, thought }) => (thought === true ? (text ?? '') : '')).join(''),
    calls,
    finish: toFinish(reason, calls.length > 0),
    usage: usage && {
      input: usage.promptTokenCount ?? 0,
      cached: usage.cachedContentTokenCount ?? 0,
      output: (usage.candidatesTokenCount ?? 0) + thoughts,
      reasoning: thoughts,
    },
  };
};

function toFinish(reason: string | undefined, hasCalls: boolean): ClientResult['finish'] {
  if (reason === 'STOP') return hasCalls ? 'tool-calls' : 'stop';
  return reason === 'MAX_TOKENS' ? 'length' : 'other';
}

const user: Content = { role: 'user', parts: [{ text: QUESTION }] };
const { parameters, ...named } = weather;
const tools = [{ functionDeclarations: [{ ...named, parametersJsonSchema: parameters }] }];

function buildRequest(scenario: Scenario): { contents: Content[]; config?: GenerateContentConfig } {
  switch (scenario) {
    case 'tools':
    case 'parallel tools':
      return { contents: [user], config: { tools } };
    case 'tool names': {
      const declarations = [{ ...named, name: oddlyNamedTool.name, parametersJsonSchema: parameters }];
      return { contents: [user], config: { tools: [{ functionDeclarations: declarations }] } };
    }
    case 'tool results': {
      const called = { name: oslo.name, args: oslo.input };
      return {
        contents: [
          user,
          { role: 'model', parts: [{ functionCall: called }] },
          { role: 'user', parts: [{ functionResponse: { name: oslo.name, response: { result: RESULT } } }] },
        ],
        config: { tools },
      };
    }
    case 'image in':
      return {
        contents: [{ role: 'user', parts: [{ text: QUESTION }, { inlineData: { mimeType: 'image/png', data: PNG } }] }],
      };
    case 'reasoning':
      return { contents: [user], config: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 } } };
    case 'structured output':
      return { contents: [user], config: { responseMimeType: 'application/json', responseJsonSchema: forecast } };
    case 'text':
    case 'error':
    case 'cut stream':
      return { contents: [user] };
  }
}
