/** Vendor that speaks Gemini's generateContent. https://ai.google.dev/api/generate-content */
import type { Loose } from '../loose.ts';
import {
  type ReceivedRequest,
  type ScriptedDialect,
  splitText,
  type TokenCounts,
  type UpstreamAnswer,
} from './scenario.ts';

const usageOf = ({ input, cached, output, reasoning }: TokenCounts) => ({
  promptTokenCount: input,
  candidatesTokenCount: output - reasoning,
  totalTokenCount: input + output,
  ...(cached > 0 && { cachedContentTokenCount: cached }),
  ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
});

const answer = (model: string, parts: unknown[], usage: TokenCounts, finishReason?: string) => ({
  candidates: [{ content: { parts, role: 'model' }, ...(finishReason && { finishReason }), index: 0 }],
  usageMetadata: usageOf(usage),
  modelVersion: model,
  responseId: 'response-upstream',
});

/** Only the first of parallel calls is signed. */
const callParts = ({ calls }: UpstreamAnswer): unknown[] =>
  (calls ?? []).map(({ name, input }, index) => ({
    functionCall: { name, args: input },
    ...(index === 0 && { thoughtSignature: 'dGhvdWdodA==' }),
  }));

function formatResponse(said: UpstreamAnswer, model: string): string {
  const parts = [
    ...(said.reasoning ? [{ text: said.reasoning, thought: true }] : []),
    ...(said.text ? [{ text: said.text }] : []),
    ...callParts(said),
  ];
  return JSON.stringify(answer(model, parts, said.usage, 'STOP'), null, 2);
}

function formatEvents(said: UpstreamAnswer, model: string): string[] {
  const parts = [
    ...splitText(said.reasoning ?? '').map((text) => ({ text, thought: true })),
    ...splitText(said.text ?? '').map((text) => ({ text })),
    ...callParts(said),
  ];
  return parts.map((part, index) => {
    const reason = index === parts.length - 1 ? 'STOP' : undefined;
    return `data: ${JSON.stringify(answer(model, [part], said.usage, reason))}\r\n\r\n`;
  });
}

const error = (message: string): string =>
  JSON.stringify({ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } });

function parseRequest(body: Loose): ReceivedRequest {
  const partsOf = (content: Loose): Loose[] => content?.parts ?? [];
  const textOf = (parts: Loose[]): string => parts.map((part) => part.text ?? '').join('');
  const of = (role: string): Loose[] =>
    body.contents.filter((content: Loose) => content.role === role).flatMap(partsOf);
  const userParts = of('user');
  const config = body.generationConfig ?? {};
  const declared: Loose[] = (body.tools ?? []).flatMap((tool: Loose) => tool.functionDeclarations ?? []);
  const thinking = config.thinkingConfig;
  return {
    system: textOf(partsOf(body.systemInstruction)),
    texts: userParts.filter(({ text }) => text !== undefined).map(({ text }) => text),
    images: userParts
      .filter(({ inlineData }) => inlineData !== undefined)
      .map(({ inlineData: { mimeType, data } }) => ({ mediaType: mimeType, base64: data })),
    tools: declared.map((tool) => ({ name: tool.name, parameters: tool.parametersJsonSchema ?? tool.parameters })),
    calls: of('model')
      .filter(({ functionCall }) => functionCall !== undefined)
      .map(({ functionCall: { name, args } }) => ({ name, input: args })),
    results: userParts
      .filter(({ functionResponse }) => functionResponse !== undefined)
      .map(({ functionResponse: { name, response } }) => ({ name, text: String(Object.values(response)[0]) })),
    thinks: thinking !== undefined && thinking.thinkingBudget !== 0,
    schema: config.responseJsonSchema ?? config.responseSchema,
  };
}

export const gemini: ScriptedDialect = { formatResponse, formatEvents, formatError: error, parseRequest };
