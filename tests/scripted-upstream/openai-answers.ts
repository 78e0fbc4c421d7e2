/** OpenAI's chat, completions, embeddings and models, as platform.openai.com/docs/api-reference described them in 2026. */

import type { Behaviour } from './behaviour.ts';
import {
  generateTokens,
  getReportedUsage,
  type ParsedRequest,
  type ReportedUsage,
  type ScriptedResponse,
} from './scripted-response.ts';

const CREATED = 1_760_000_000;
const EMBEDDING = [0.5, -0.25, 0.125, 0];

export const formatData = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const failure = { error: { message: 'scripted failure', type: 'server_error', param: null, code: 'scripted' } };
export const errorFormat: ScriptedResponse['error'] = {
  body: (status) =>
    JSON.stringify(
      status === 429
        ? { error: { message: 'Rate limit reached', type: 'requests', param: null, code: 'rate_limit_exceeded' } }
        : failure,
    ),
  event: formatData(failure),
};

function presentUsage(usage: ReportedUsage) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
  };
}

export function createChatResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const usage = getReportedUsage(behaviour, asked);
  const call = behaviour.callsTool ? asked.tool : undefined;
  const tokens = call === undefined ? generateTokens(behaviour.tokens) : [];
  const model = behaviour.isSmaller ? `${asked.model}-mini` : asked.model;
  const base = { id: 'chatcmpl-scripted', created: CREATED, model };
  if (!asked.stream) {
    const message = {
      role: 'assistant',
      content: call === undefined ? tokens.join('') : null,
      refusal: null,
      ...(call === undefined ? {} : { tool_calls: [toolCall(call, ARGUMENTS)] }),
    };
    const body = {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason: call === undefined ? 'stop' : 'tool_calls' }],
      ...(usage === undefined ? {} : { usage: presentUsage(usage) }),
    };
    return { contentType: 'application/json', pieces: [JSON.stringify(body)], error: errorFormat };
  }
  const growing = (done: number) =>
    usage !== undefined && behaviour.usage === 'growing' ? presentUsage({ ...usage, output: done }) : null;
  const chunk = (delta: object, finish_reason: 'stop' | 'tool_calls' | null, done = 0) =>
    formatData({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(asked.includeUsage ? { usage: growing(done) } : {}),
    });
  const pieces = [
    chunk({ role: 'assistant', content: '', refusal: null }, null),
    ...tokens.map((content, index) => chunk({ content }, null, index + 1)),
    ...(call === undefined ? [] : buildToolCallPieces(call).map((delta) => chunk(delta, null))),
    chunk({}, call === undefined ? 'stop' : 'tool_calls', tokens.length),
  ];
  if (asked.includeUsage && usage !== undefined) {
    const last = formatData({ ...base, object: 'chat.completion.chunk', choices: [], usage: presentUsage(usage) });
    pieces.push(...Array.from({ length: behaviour.usage === 'twice' ? 2 : 1 }, () => last));
  }
  return {
    contentType: 'text/event-stream; charset=utf-8',
    pieces: [...pieces, 'data: [DONE]\n\n'],
    error: errorFormat,
  };
}

const ARGUMENTS = '{"city":"Bern"}';
const toolCall = (name: string, args: string) => ({
  id: 'call_scripted',
  type: 'function',
  function: { name, arguments: args },
});

/** The name first, then the arguments in two pieces. */
function buildToolCallPieces(name: string): object[] {
  return [
    { tool_calls: [{ index: 0, ...toolCall(name, '') }] },
    ...[ARGUMENTS.slice(0, 7), ARGUMENTS.slice(7)].map((piece) => ({
      tool_calls: [{ index: 0, function: { arguments: piece } }],
    })),
  ];
}

export function createCompletionResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const usage = getReportedUsage(behaviour, asked);
  const tokens = generateTokens(behaviour.tokens);
  const base = { id: 'cmpl-scripted', object: 'text_completion', created: CREATED, model: asked.model };
  const choice = (text: string, finish_reason: 'stop' | null) => ({ text, index: 0, logprobs: null, finish_reason });
  if (!asked.stream) {
    const body = {
      ...base,
      choices: [choice(tokens.join(''), 'stop')],
      ...(usage === undefined ? {} : { usage: presentUsage(usage) }),
    };
    return { contentType: 'application/json', pieces: [JSON.stringify(body)], error: errorFormat };
  }
  const pieces = [
    ...tokens.map((text) => formatData({ ...base, choices: [choice(text, null)] })),
    formatData({ ...base, choices: [choice('', 'stop')] }),
  ];
  if (asked.includeUsage && usage !== undefined)
    pieces.push(formatData({ ...base, choices: [], usage: presentUsage(usage) }));
  return {
    contentType: 'text/event-stream; charset=utf-8',
    pieces: [...pieces, 'data: [DONE]\n\n'],
    error: errorFormat,
  };
}

export function createEmbeddingResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const usage = getReportedUsage(behaviour, asked);
  const body = {
    object: 'list',
    data: Array.from({ length: asked.inputs }, (_, index) => ({ object: 'embedding', index, embedding: EMBEDDING })),
    model: asked.model,
    ...(usage === undefined ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }),
  };
  return { contentType: 'application/json', pieces: [JSON.stringify(body)], error: errorFormat };
}

export function formatModelList(models: readonly string[]): string {
  const list = models.map((id) => ({ id, object: 'model', created: CREATED, owned_by: 'scripted' }));
  return JSON.stringify({ object: 'list', data: list });
}
