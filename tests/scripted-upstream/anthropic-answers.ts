/** Anthropic's messages, as docs.anthropic.com/en/api/messages and messages-streaming described them in 2026. */

import type { Behaviour } from './behaviour.ts';
import { generateTokens, getReportedUsage, type ParsedRequest, type ScriptedResponse } from './scripted-response.ts';

const event = (value: { type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const failure = { type: 'error', error: { type: 'overloaded_error', message: 'scripted failure' } };

/** Error type of each status. */
const errorTypes: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const error: ScriptedResponse['error'] = {
  body: (status) =>
    JSON.stringify({ type: 'error', error: { type: errorTypes[status] ?? 'api_error', message: 'scripted failure' } }),
  event: event(failure),
};

export function createMessageResponse(behaviour: Behaviour, asked: ParsedRequest): ScriptedResponse {
  const usage = getReportedUsage(behaviour, asked);
  const tokens = generateTokens(behaviour.tokens);
  const base = { id: 'msg_scripted', type: 'message', role: 'assistant', model: asked.model };
  const caches = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const usageAt = (output: number | undefined) =>
    usage === undefined || output === undefined
      ? {}
      : { usage: { input_tokens: usage.input, ...caches, output_tokens: output } };
  if (!asked.stream) {
    const body = {
      ...base,
      content: [{ type: 'text', text: tokens.join('') }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      ...usageAt(usage?.output),
    };
    return { contentType: 'application/json', pieces: [JSON.stringify(body)], error };
  }
  const opening = { ...base, content: [], stop_reason: null, stop_sequence: null, ...usageAt(1) };
  const started = { type: 'message_start', message: opening };
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  const ended = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    ...(usage === undefined ? {} : { usage: { output_tokens: usage.output } }),
  };
  const events = [
    started,
    block,
    { type: 'ping' },
    ...tokens.map(delta),
    { type: 'content_block_stop', index: 0 },
    ended,
    { type: 'message_stop' },
  ];
  return { contentType: 'text/event-stream; charset=utf-8', pieces: events.map(event), error };
}

/** `/v1/messages/count_tokens`. */
export function createCountResponse(_behaviour: Behaviour, { inputTokens }: ParsedRequest): ScriptedResponse {
  const body = JSON.stringify({ input_tokens: inputTokens });
  return { contentType: 'application/json', pieces: [body], error };
}
