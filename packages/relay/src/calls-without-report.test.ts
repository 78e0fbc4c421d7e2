/** A call of a tool is output even if it has no arguments and its vendor reports no usage. */
import { describe, expect, it } from 'vitest';
import { planExchange } from './exchange/plan-exchange.ts';
import { countedUsage } from './model/billable-usage.ts';
import type { DialectId } from './model/dialect-id.ts';
import type { Target } from './model/provider.ts';
import type { ResponseReader } from './model/upstream-exchange.ts';
import { sampleRequest, sampleTarget } from './testing/sample-requests.ts';

const NAME = 'get_current_time';
const clients = ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'] as const;

/** A response that is one call without arguments, without a usage report. */
interface BareCall {
  target: () => Target;
  whole: object;
  stream: readonly object[];
}

const item = { id: 'fc_1', type: 'function_call', call_id: 'c', name: NAME, arguments: '', status: 'completed' };
const response = { id: 'r', object: 'response', model: 'm', status: 'completed', output: [item], usage: null };
const functionCall = { id: 'c', type: 'function', function: { name: NAME, arguments: '' } };
const block = { type: 'tool_use', id: 't', name: NAME, input: {} };
const candidate = {
  index: 0,
  content: { role: 'model', parts: [{ functionCall: { name: NAME } }] },
  finishReason: 'STOP',
};

const calls: Readonly<Record<string, BareCall>> = {
  Chat: {
    target: () => sampleTarget('custom'),
    whole: {
      id: 'a',
      choices: [{ index: 0, message: { content: null, tool_calls: [functionCall] }, finish_reason: 'tool_calls' }],
    },
    stream: [
      { id: 'a', choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [{ index: 0, ...functionCall }] } }] },
      // Some vendors repeat the name.
      { id: 'a', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: NAME } }] } }] },
      { id: 'a', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ],
  },
  Messages: {
    target: () => sampleTarget('anthropic'),
    whole: { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [block], stop_reason: 'tool_use' },
    stream: [
      { type: 'message_start', message: { id: 'm', model: 'm' } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
      { type: 'message_stop' },
    ],
  },
  Gemini: {
    target: () => sampleTarget('gemini'),
    whole: { candidates: [candidate] },
    stream: [{ candidates: [candidate] }],
  },
  Responses: {
    target: () => sampleTarget('openai', { options: { api: 'responses' } }),
    whole: response,
    stream: [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress' } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ],
  },
};

const eventOf = (data: object): string =>
  `${'type' in data ? `event: ${String(data.type)}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

function read(client: DialectId, { target, whole, stream }: BareCall, isStream: boolean): ResponseReader {
  const request = sampleRequest(client, isStream ? { stream: true } : {});
  const reader = planExchange(request, target()).readResponse();
  reader.push(Buffer.from(isStream ? stream.map(eventOf).join('') : JSON.stringify(whole)));
  reader.end();
  return reader;
}

describe.each(Object.entries(calls))('a call without arguments from %s', (_upstream, call) => {
  it.each(clients.flatMap((client) => [true, false].map((isStream) => [client, isStream] as const)))(
    'counts as output for a client of %s (stream: %s)',
    (client, isStream) => {
      const { meter } = read(client, call, isStream);
      expect(meter.finished).toBe(true);
      expect(meter.deliveredCharacters).toBeGreaterThanOrEqual(NAME.length);
      expect(meter.deliveredCharacters).toBeLessThan(NAME.length + 5);
      const usage = countedUsage(sampleRequest(client), meter);
      expect(usage.input).toBeGreaterThan(0);
      expect(usage.output).toBeGreaterThan(0);
    },
  );
});
