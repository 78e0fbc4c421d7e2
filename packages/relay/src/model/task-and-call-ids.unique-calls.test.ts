import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { getDialect } from '../exchange/dialect-registry.ts';
import { serializeResponse } from '../exchange/encode-chat-response.ts';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import type { ResponseEvent } from './conversation.ts';
import { UniqueCalls } from './task-and-call-ids.ts';

const clients = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini'] as const;
const upstreams = {
  'openai-chat': 'custom',
  'anthropic-messages': 'anthropic',
  'openai-responses': 'openai',
  gemini: 'gemini',
} as const;
const pairs = clients.flatMap((client) =>
  clients.filter((upstream) => upstream !== client).map((upstream) => [client, upstream] as const),
);

/** Ids of the calls that a vendor writes, and how many of them a client gets as they are. */
const cases: readonly (readonly [ids: readonly string[], kept: number])[] = [
  [['a', 'b', 'c'], 3],
  [['a', 'a', 'b'], 2],
  [['f', 'f', 'f'], 1],
  [['', '', ''], 0],
  [['', 'a', 'a'], 1],
];

/** Returns the bytes of an answer that calls a tool several times, as the vendor of a dialect writes it. */
function written(upstream: (typeof clients)[number], ids: readonly string[], stream: boolean): Buffer {
  const { chat } = getDialect(upstream);
  const events: ResponseEvent[] = [
    { type: 'start', id: 'x', model: 'm' },
    ...ids.flatMap((callId, index): ResponseEvent[] => [
      { type: 'tool-call', index, callId, name: 'f' },
      { type: 'tool-arguments', index, text: '{}' },
    ]),
    { type: 'finish', reason: 'tool-calls' },
  ];
  const request = sampleRequest(upstream);
  if (!stream && chat !== undefined) return Buffer.from(serializeResponse(chat, events, request, new Set()));
  const encoder = chat?.createStreamEncoder(request, new Set());
  return Buffer.from(events.map((event) => encoder?.push(event)).join('') + encoder?.end());
}

/** Ids of calls, where the dialects write them at the beginning of a call. */
const idsIn =
  /"call_id":"([^"]*)","name":"f","arguments":""|"id":"([^"]*)","(?:type":"function","function":\{"name|name)":"f"/g;
const idsInWhole = /"call_id":"([^"]*)","name":"f"|"id":"([^"]*)","(?:type":"function","function":\{"name|name)":"f"/g;

const manyIds = Array.from({ length: 10_100 }, (_, nth) => `id ${nth}`);

describe.each(pairs)('a client of %s behind %s', (client, upstream) => {
  describe.each([true, false])('streamed: %s', (stream) => {
    it.each(cases)('gets a unique id for each of the calls %j', (ids, kept) => {
      const { provider, ...rest } = sampleTarget(upstreams[upstream]);
      const chat = provider.endpoints.chat?.filter(({ format }) => format === upstream) ?? [];
      const target = { ...rest, provider: { ...provider, endpoints: { chat } } };
      const reader = planExchange(sampleRequest(client, { stream }), target).readResponse();
      const bytes = Buffer.concat([reader.push(written(upstream, ids, stream)), reader.end()]);
      const found = [...bytes.toString().matchAll(stream ? idsIn : idsInWhole)];
      const seen = found.map(([, id, other]) => id ?? other ?? '');
      expect(seen).toHaveLength(3);
      expect(new Set(seen).size).toBe(3);
      expect(seen).not.toContain('');
      expect(seen.filter((id) => ids.includes(id))).toHaveLength(kept);
    });

    it('gets an error for an endless number of calls', () => {
      const { provider, ...rest } = sampleTarget(upstreams[upstream]);
      const chat = provider.endpoints.chat?.filter(({ format }) => format === upstream) ?? [];
      const target = { ...rest, provider: { ...provider, endpoints: { chat } } };
      const reader = planExchange(sampleRequest(client, { stream }), target).readResponse();
      expect(() => {
        reader.push(written(upstream, manyIds, stream));
        reader.end();
      }).toThrow('too many items');
    });
  });
});

it('reads two calls with one vendor id in OpenAI’s library', async () => {
  const { provider, ...rest } = sampleTarget('custom');
  const reader = planExchange(sampleRequest('openai-responses', { stream: true }), {
    ...rest,
    provider,
  }).readResponse();
  const bytes = Buffer.concat([reader.push(written('openai-chat', ['f', 'f'], true)), reader.end()]);
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = async (): Promise<Response> => new Response(new Uint8Array(bytes), { headers });
  const client = new OpenAI({ apiKey: 'none', fetch, maxRetries: 0 });
  const { output } = await client.responses.stream({ model: 'm', input: 'hi' }).finalResponse();
  expect(output).toMatchObject([{ type: 'function_call' }, { type: 'function_call' }]);
});

it('gets unique ids for vendor tool calls as well', () => {
  const call = { tool: 'web-search', callId: 'a', input: 'x' } as const;
  const events: ResponseEvent[] = [
    { type: 'vendor-call', call },
    { type: 'vendor-call', call },
    { type: 'text', text: 'hi' },
  ];
  const ids = new UniqueCalls()
    .assignIds(events)
    .map((event) => (event.type === 'vendor-call' ? event.call.callId : ''));
  expect(ids[0]).toBe('a');
  expect(ids[1]).toMatch(/^call_[0-9a-f]{32}$/);
});

it('gets unique ids without keeping long ones', () => {
  const calls = new UniqueCalls();
  const long = (end: string): string => 'x'.repeat(300) + end;
  const idsOf = (callId: string): string[] =>
    calls
      .assignIds([{ type: 'tool-call', index: 0, callId, name: 'f' }])
      .map((event) => (event.type === 'tool-call' ? event.callId : ''));
  expect(idsOf(long('a'))).toEqual([long('a')]);
  expect(idsOf(long('b'))).toEqual([expect.stringMatching(/^call_[0-9a-f]{32}$/)]);
});
