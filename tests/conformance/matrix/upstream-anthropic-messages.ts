/** Vendor that speaks Messages. https://docs.anthropic.com/en/api/messages */
import type { Loose } from '../loose.ts';
import {
  type ReceivedRequest,
  type ScriptedDialect,
  splitText,
  type TokenCounts,
  type UpstreamAnswer,
} from './scenario.ts';

const usageOf = ({ input, cached, output, reasoning }: TokenCounts) => ({
  input_tokens: input - cached,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: cached,
  output_tokens: output,
  ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
});

const message = (model: string) => ({ id: 'msg_upstream', type: 'message', role: 'assistant', model });

function formatResponse({ reasoning, text, calls, usage }: UpstreamAnswer, model: string): string {
  return JSON.stringify({
    ...message(model),
    content: [
      ...(reasoning ? [{ type: 'thinking', thinking: reasoning, signature: 'c2lnbmF0dXJl' }] : []),
      ...(text ? [{ type: 'text', text }] : []),
      ...(calls ?? []).map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: calls ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: usageOf(usage),
  });
}

function formatEvents({ reasoning, text, calls, usage }: UpstreamAnswer, model: string): string[] {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}  \n\n`;
  const blocks: { block: object; deltas: object[] }[] = [];
  if (reasoning)
    blocks.push({
      block: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...splitText(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
      ],
    });
  if (text)
    blocks.push({
      block: { type: 'text', text: '' },
      deltas: splitText(text).map((piece) => ({ type: 'text_delta', text: piece })),
    });
  for (const { id, name, input } of calls ?? [])
    blocks.push({
      block: { type: 'tool_use', id, name, input: {} },
      deltas: ['', ...splitText(JSON.stringify(input))].map((piece) => ({
        type: 'input_json_delta',
        partial_json: piece,
      })),
    });
  const start = { ...message(model), content: [], stop_reason: null, stop_sequence: null };
  return [
    event('message_start', { message: { ...start, usage: { ...usageOf(usage), output_tokens: 1 } } }),
    event('ping', {}),
    ...blocks.flatMap(({ block, deltas }, index) => [
      event('content_block_start', { index, content_block: block }),
      ...deltas.map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: usageOf(usage),
    }),
    event('message_stop', {}),
  ];
}

const error = (message: string): string =>
  JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message }, request_id: 'req_upstream' });

function parseRequest(body: Loose): ReceivedRequest {
  const blocksOf = (content: Loose): Loose[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
  const textOf = (content: Loose): string =>
    blocksOf(content)
      .map((block) => block.text ?? '')
      .join('');
  const of = (role: string): Loose[] =>
    body.messages.filter((turn: Loose) => turn.role === role).flatMap(({ content }: Loose) => blocksOf(content));
  const userParts = of('user');
  const calls = of('assistant').filter(({ type }) => type === 'tool_use');
  return {
    system: textOf(body.system),
    texts: userParts.filter(({ type }) => type === 'text').map(({ text }) => text),
    images: userParts
      .filter(({ type }) => type === 'image')
      .map(({ source }) => ({ mediaType: source.media_type, base64: source.data })),
    tools: (body.tools ?? []).map(({ name, input_schema: parameters }: Loose) => ({ name, parameters })),
    calls: calls.map(({ name, input }) => ({ name, input })),
    results: userParts
      .filter(({ type }) => type === 'tool_result')
      .map((result) => ({
        name: calls.find(({ id }) => id === result.tool_use_id)?.name,
        text: textOf(result.content),
      })),
    thinks: ['enabled', 'adaptive'].includes(body.thinking?.type),
    schema: body.output_config?.format?.schema,
  };
}

export const anthropicMessages: ScriptedDialect = { formatResponse, formatEvents, formatError: error, parseRequest };
