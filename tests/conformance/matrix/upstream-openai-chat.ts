/** Vendor that speaks Chat Completions. https://platform.openai.com/docs/api-reference/chat */
import type { Loose } from '../loose.ts';
import {
  type ReceivedRequest,
  type ScriptedDialect,
  splitText,
  type TokenCounts,
  type UpstreamAnswer,
} from './scenario.ts';

const usageOf = ({ input, cached, output, reasoning }: TokenCounts) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
});

function formatResponse({ reasoning, text, calls, usage }: UpstreamAnswer, model: string): string {
  const toolCalls = calls?.map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: 'assistant',
    content: text ?? null,
    ...(reasoning && { reasoning_content: reasoning }),
    ...(toolCalls && { tool_calls: toolCalls }),
  };
  const finish = calls ? 'tool_calls' : 'stop';
  return JSON.stringify({
    id: 'chatcmpl-upstream',
    object: 'chat.completion',
    created: 1_760_000_000,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage: usageOf(usage),
  });
}

function formatEvents({ reasoning, text, calls, usage }: UpstreamAnswer, model: string): string[] {
  const chunk = (choices: unknown[], more: object = { usage: null }): string =>
    `data: ${JSON.stringify({ id: 'chatcmpl-upstream', object: 'chat.completion.chunk', created: 1_760_000_000, model, choices, ...more })}\n\n`;
  const delta = (fields: object, reason: string | null = null): string =>
    chunk([{ index: 0, delta: fields, logprobs: null, finish_reason: reason }]);
  return [
    delta({ role: 'assistant', content: '' }),
    ...splitText(reasoning ?? '').map((piece) => delta({ reasoning_content: piece })),
    ...splitText(text ?? '').map((piece) => delta({ content: piece })),
    ...(calls ?? []).flatMap(({ id, name, input }, index) => [
      delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...splitText(JSON.stringify(input)).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    delta({}, calls ? 'tool_calls' : 'stop'),
    chunk([], { usage: usageOf(usage) }),
    'data: [DONE]\n\n',
  ];
}

const error = (message: string): string =>
  JSON.stringify({ error: { message, type: 'rate_limit_exceeded', param: null, code: 'rate_limit_exceeded' } });

function parseRequest(body: Loose): ReceivedRequest {
  const messages: Loose[] = body.messages;
  const parts = (content: Loose): Loose[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const textOf = (content: Loose): string =>
    parts(content)
      .map((part) => part.text ?? '')
      .join('');
  const userParts = messages.filter(({ role }) => role === 'user').flatMap(({ content }) => parts(content));
  const calls = messages.flatMap(({ tool_calls: made }) => made ?? []);
  const nameOf = (id: string): string => calls.find((call) => call.id === id)?.function.name;
  return {
    system: messages
      .filter(({ role }) => role === 'system')
      .map(({ content }) => textOf(content))
      .join(''),
    texts: userParts.filter(({ type }) => type === 'text').map(({ text }) => text),
    images: userParts
      .filter(({ type }) => type === 'image_url')
      .map(({ image_url: { url } }) => {
        const [, mediaType = '', base64 = ''] = /^data:(.*);base64,(.*)$/.exec(url) ?? [];
        return { mediaType, base64 };
      }),
    tools: (body.tools ?? []).map(({ function: { name, parameters } }: Loose) => ({ name, parameters })),
    calls: calls.map((call) => ({ name: call.function.name, input: JSON.parse(call.function.arguments) })),
    results: messages
      .filter(({ role }) => role === 'tool')
      .map((message) => ({ name: nameOf(message.tool_call_id), text: textOf(message.content) })),
    thinks: (body.reasoning_effort ?? 'none') !== 'none',
    schema: body.response_format?.json_schema?.schema,
  };
}

export const openaiChat: ScriptedDialect = { formatResponse, formatEvents, formatError: error, parseRequest };
