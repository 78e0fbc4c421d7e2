import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../json/json.ts';
import { countedUsage } from '../model/billable-usage.ts';
import type { DialectId, UpstreamDialectId } from '../model/dialect-id.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { answer } from '../testing/random-samples.ts';
import { fixture, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { parseSseEvents } from '../wire/sse.ts';
import { getDialect, getUpstreamDialect } from './dialect-registry.ts';
import { planExchange } from './plan-exchange.ts';
import { TranslatingReader } from './translating-reader.ts';

function openaiClient(fields: Record<string, unknown> = {}): ResponseReader {
  return planExchange(
    sampleRequest('openai-chat', { stream: true, ...fields }),
    sampleTarget('anthropic'),
  ).readResponse();
}

function anthropicClient(fields: Record<string, unknown> = {}): ResponseReader {
  const request = sampleRequest('anthropic-messages', { stream: true, ...fields });
  return planExchange(request, sampleTarget('custom')).readResponse();
}

function readAll(reader: ResponseReader, body: Buffer): string[] {
  return parseSseEvents(Buffer.concat([reader.push(body), reader.end()])).map(({ data }) => data);
}

function deltas(events: readonly string[]): unknown[] {
  return events
    .filter((event) => event !== '[DONE]')
    .map((event) => objectOf(JSON.parse(event).choices?.[0])['delta'])
    .filter((delta) => delta !== undefined && Object.keys(objectOf(delta)).length > 0);
}

describe('an Anthropic stream for an OpenAI client', () => {
  const body = fixture('anthropic/messages-thinking.sse');

  it('has reasoning, its signature, text and parallel calls with their own indexes', () => {
    expect(deltas(readAll(openaiClient(), body))).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Let me look.' },
      {
        reasoning_details: [
          { index: 0, type: 'reasoning.text', signature: 'switchyard.anthropic-messages.signature.c2lnbmF0dXJl' },
        ],
      },
      { content: 'I will check.' },
      { tool_calls: [{ index: 0, id: 'toolu_a', type: 'function', function: { name: 'weather', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"city": "Berlin"}' } }] },
      { tool_calls: [{ index: 1, id: 'toolu_b', type: 'function', function: { name: 'now', arguments: '' } }] },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ]);
  });

  it('ends with the finish reason, the usage on request, and [DONE]', () => {
    const asked = readAll(openaiClient({ stream_options: { include_usage: true } }), body).slice(-3);
    expect(JSON.parse(asked[0] ?? '').choices[0].finish_reason).toBe('tool_calls');
    expect(JSON.parse(asked[1] ?? '')).toMatchObject({
      choices: [],
      usage: {
        prompt_tokens: 1_065,
        completion_tokens: 80,
        total_tokens: 1_145,
        prompt_tokens_details: { cached_tokens: 1_000, cache_write_tokens: 40 },
      },
    });
    expect(asked[2]).toBe('[DONE]');
    expect(readAll(openaiClient(), body).join('')).not.toContain('"usage"');
  });

  it('ends an OpenAI client’s stream at message_stop, whatever follows', () => {
    const twice = readAll(openaiClient(), Buffer.concat([body, body]));
    expect(deltas(twice)).toEqual(deltas(readAll(openaiClient(), body)));
    expect(twice.filter((event) => event === '[DONE]')).toHaveLength(1);
  });

  it('reports a cut stream as an error without [DONE]', () => {
    const reader = openaiClient();
    const seen = reader.push(body.subarray(0, body.length - 60)).toString();
    expect(seen).not.toContain('[DONE]');
    expect(() => reader.end()).toThrow(expect.objectContaining({ code: 'stream_cut' }));
  });

  it('hides an error event and reports it', () => {
    const reader = openaiClient();
    expect(reader.push(fixture('anthropic/messages-overloaded.sse')).toString()).not.toContain('Overloaded');
    expect(() => reader.end()).toThrow(
      expect.objectContaining({ kind: 'overloaded', message: 'Overloaded', code: 'overloaded_error' }),
    );
  });
});

describe('an OpenAI stream for an Anthropic client', () => {
  it('names each event and writes blocks sequentially', () => {
    const reader = anthropicClient();
    const text = Buffer.concat([reader.push(fixture('openai/chat-text.sse')), reader.end()]).toString();
    expect(text.match(/^event: .*$/gm)).toEqual([
      'event: message_start',
      'event: content_block_start',
      'event: content_block_delta',
      'event: content_block_delta',
      'event: content_block_stop',
      'event: message_delta',
      'event: message_stop',
    ]);
    expect(JSON.parse(parseSseEvents(Buffer.from(text)).at(-2)?.data ?? '')).toEqual({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: {
        input_tokens: 20,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 30,
        output_tokens_details: { thinking_tokens: 20 },
      },
    });
  });

  it('puts the interleaved fragments of parallel calls into sequential blocks', () => {
    const events = readAll(anthropicClient(), fixture('openai/chat-parallel-tools.sse')).map((event) =>
      JSON.parse(event),
    );
    const blocks = events.filter((event) => event.type === 'content_block_start').map((event) => event.content_block);
    expect(blocks).toEqual([
      { type: 'tool_use', id: 'call_a', name: 'weather', input: {} },
      { type: 'tool_use', id: 'call_b', name: 'time', input: {} },
    ]);
    const json = (index: number): string =>
      events.flatMap((event) => (event.index === index ? [event.delta?.partial_json ?? ''] : [])).join('');
    expect([json(0), json(1)]).toEqual(['{"city":"Berlin"}', '{"zone":"CET"}']);
  });

  it('hides an event that is named error', () => {
    const reader = anthropicClient();
    const event = 'event: error\ndata: {"reason":{"message":"key sample-secret-key"}}\n\ndata: [DONE]\n\n';
    expect(reader.push(Buffer.from(event)).length).toBe(0);
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind: 'overloaded' }));
  });

  it('hides an error event and invalid JSON, and reports the error', () => {
    const reader = anthropicClient();
    const body = 'data: oops\n\ndata: {"error":{"message":"no","code":500,"type":"t"}}\n\ndata: [DONE]\n\n';
    expect(reader.push(Buffer.from(body)).length).toBe(0);
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind: 'overloaded', message: 'no', code: '500' }));
  });

  it('completes an Anthropic client’s stream only when the usage is known', () => {
    const reader = anthropicClient();
    const text = fixture('openai/chat-text.sse').toString();
    const beforeUsage = text.slice(
      0,
      text.indexOf(
        'data: {"id":"chatcmpl-fx1","object":"chat.completion.chunk","created":1790000000,"model":"gpt-4o-mini","choices":[],',
      ),
    );
    expect(reader.push(Buffer.from(beforeUsage)).toString()).not.toContain('message_delta');
    expect(reader.meter.finished).toBe(false);
  });
});

describe('a non-streaming response for a client of another dialect', () => {
  it('becomes a message', () => {
    const reader = anthropicClient({ stream: false });
    reader.push(fixture('openai/chat-text.json'));
    expect(JSON.parse(reader.end().toString())).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello!' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 9, output_tokens: 3 },
    });
  });

  it('becomes a completion with calls, and null for content that is not there', () => {
    const reader = openaiClient({ stream: false });
    const content = [{ type: 'tool_use', id: 't1', name: 'now', input: { a: [1] } }];
    const answer = { type: 'message', id: 'm', content, stop_reason: 'tool_use', usage: { input_tokens: 1 } };
    reader.push(Buffer.from(JSON.stringify(answer)));
    expect(JSON.parse(reader.end().toString()).choices[0]).toMatchObject({
      message: { content: null, tool_calls: [{ id: 't1', function: { name: 'now', arguments: '{"a":[1]}' } }] },
      finish_reason: 'tool_calls',
    });
  });
});

describe('any split of the same bytes', () => {
  it.each<[DialectId, DialectId, string]>([
    ['openai-chat', 'anthropic-messages', 'custom'],
    ['anthropic-messages', 'openai-chat', 'anthropic'],
  ])('of a stream in %s gives the same events in %s, and the same charge', (from, to, provider) => {
    const asked = sampleRequest(from, { stream: true, stream_options: { include_usage: true } });
    const request = sampleRequest(to, { stream: true, stream_options: { include_usage: true } });
    const read = (chunks: readonly Buffer[]): unknown => {
      const reader = planExchange(request, sampleTarget(provider)).readResponse();
      const written = Buffer.concat([...chunks.map((chunk) => reader.push(chunk)), reader.end()]);
      const { usage, deliveredCharacters } = reader.meter;
      const text = written.toString().replaceAll(/"created":\d+/g, '');
      return { text, usage, deliveredCharacters, counted: countedUsage(request, reader.meter) };
    };
    fc.assert(
      fc.property(fc.gen(), (draw) => {
        const encoder = getDialect(from).chat?.createStreamEncoder(asked, new Set());
        const events = answer(draw, from === 'openai-chat' ? 'openai-chat' : 'anthropic-messages');
        const bytes = Buffer.from(events.map((event) => encoder?.push(event)).join('') + encoder?.end());
        const places = draw(fc.array<number>, fc.nat({ max: bytes.length }), { maxLength: 8 });
        const cuts = [0, ...places.toSorted((one, other) => one - other), bytes.length];
        const chunks = cuts.map((start, index) => bytes.subarray(start, cuts[index + 1]));
        expect(read(chunks)).toEqual(read([bytes]));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a broken stream', () => {
  it.each(['openai-chat', 'openai-responses', 'gemini'] as const)(
    'starts for %s although the upstream sent no start',
    (format) => {
      const body =
        'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\ndata: {"type":"message_stop"}\n\n';
      const exchange = planExchange(sampleRequest(format, { stream: true }), sampleTarget('anthropic'));
      const [first = ''] = readAll(exchange.readResponse(), Buffer.from(body));
      const { id, model, response, modelVersion } = JSON.parse(first);
      expect(id ?? response?.id ?? 'none needed').not.toBe('');
      expect(model ?? response?.model ?? modelVersion).toBe('vendor-model');
    },
  );

  it('starts and ends once if only a finish reason arrived', () => {
    const body = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const types = readAll(anthropicClient(), Buffer.from(body)).map((event) => JSON.parse(event).type);
    expect(types).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  it('forwards the events before an unreadable one, in the same chunk or earlier', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    const garbled = expect.objectContaining({ kind: 'garbled' });
    const events = [
      'data: {"type":"message_start","message":{"id":"m"}}\n\n',
      'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}\n\n',
      `data: {"type":"content_block_start","content_block":{"type":"tool_use","name":"f","input":${deep}}}\n\n`,
    ];
    const [together, apart] = [openaiClient(), openaiClient()];
    const bytes = together.push(Buffer.from(events.join('')));
    const pieces = events.slice(0, 2).map((event) => apart.push(Buffer.from(event)));
    expect(() => apart.push(Buffer.from(events[2] ?? ''))).toThrow(garbled);
    expect(withoutTime(bytes)).toBe(withoutTime(Buffer.concat(pieces)));
    expect(together.meter).toMatchObject({ deliveredCharacters: 1, finished: false });
    expect(() => together.push(Buffer.from(events[1] ?? ''))).toThrow(garbled);
    expect(() => together.end()).toThrow(garbled);
  });
});

function withoutTime(bytes: Buffer): string {
  return bytes.toString().replaceAll(/"created":\d+/g, '');
}

describe('the sources of Perplexity', () => {
  const beside = {
    citations: ['https://a.test/', 'https://b.test/'],
    search_results: [
      { title: 'A', url: 'https://a.test/', date: '2025-01-01' },
      { title: 'B', url: 'https://b.test/' },
    ],
  };
  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3, search_context_size: 'low' };
  const chunk = (content: string, finish_reason: string | null) => ({
    id: 'x',
    model: 'sonar',
    object: 'chat.completion.chunk',
    ...beside,
    usage,
    choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason }],
  });
  const streamed = [chunk('It rains.', null), chunk('[1][2]', 'stop')]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join('');
  const message = { role: 'assistant', content: 'It rains.[1][2]' };
  const whole = JSON.stringify({
    ...chunk('', 'stop'),
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
  });

  it.each([
    ['openai-responses', false, '"type":"url_citation","url":"https://b.test/","title":"B"'],
    ['openai-responses', true, '"type":"url_citation","url":"https://b.test/","title":"B"'],
    ['anthropic-messages', false, '"type":"web_search_result_location","url":"https://b.test/","title":"B"'],
    ['anthropic-messages', true, '"type":"web_search_result_location","url":"https://b.test/","title":"B"'],
    ['gemini', false, '"web":{"uri":"https://b.test/","title":"B"}'],
    ['gemini', true, '"web":{"uri":"https://b.test/","title":"B"}'],
  ] as const)('reach %s as citations, streamed: %s, and their marks stay in the text', (format, stream, cited) => {
    const reader = planExchange(sampleRequest(format, { stream }), sampleTarget('custom')).readResponse();
    const answer = Buffer.concat([reader.push(Buffer.from(stream ? streamed : whole)), reader.end()]).toString();
    expect(answer.split(cited).length - 1).toBeGreaterThan(0);
    expect(answer).toContain('[1][2]');
    expect(reader.dropped).toEqual([]);
  });
});

describe('a stream of comments', () => {
  const comments = Buffer.from(': nothing\n\n'.repeat(1_000));
  const lone = (event: string) => Buffer.concat([comments, Buffer.from(event)]);
  const clients = [
    ['an OpenAI client', openaiClient],
    ['an Anthropic client', anthropicClient],
  ] as const;
  const silences = [
    ['comments', comments],
    ['blank lines', Buffer.from('\n\n'.repeat(5_000))],
    ['fields that are unknown', Buffer.from('id: 7\nretry: 10\n\n'.repeat(1_000))],
    ['comments beside events that say nothing', lone('data: {}\n\n')],
  ] as const;

  it.each(clients.flatMap((client) => silences.map((silence) => [...client, ...silence] as const)))(
    'for %s is aborted after a megabyte and uses no memory (%s, %s)',
    (_client, create, _silence, bytes) => {
      const reader = create();
      let sent = 0;
      const push = (): void => {
        for (; sent < 3_000_000; sent += bytes.length) {
          reader.push(bytes);
          expect(reader.heldBytes).toBeLessThan(10_000);
        }
      };
      expect(push).toThrow('The upstream sent a stream without content.');
      expect(sent).toBeGreaterThan(1_000_000);
      expect(sent).toBeLessThan(1_100_000);
    },
  );

  it('continues with occasional content, and after its end', () => {
    const reader = anthropicClient();
    const said = Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}\n\n');
    const end = Buffer.from('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
    for (let nth = 0; nth < 400; nth += 1) reader.push(nth % 50 === 0 ? said : comments);
    reader.push(end);
    for (let nth = 0; nth < 400; nth += 1) reader.push(comments);
    expect(reader.meter.finished).toBe(true);
    expect(reader.meter.deliveredCharacters).toBe(8 * 'hello'.length);
    expect(() => reader.end()).not.toThrow();
  });

  it('keeps an event without output, because it may belong to a call', () => {
    const reader = openaiClient();
    reader.push(Buffer.from(`data: {"type":"ping","padding":"${'x'.repeat(10_000)}"}\n\n`));
    expect(reader.heldBytes).toBeGreaterThan(30_000);
  });

  it.each([
    ['ASCII', 'x'.repeat(1_000_000)],
    ['characters of three bytes', '字'.repeat(333_333)],
  ])('aborts a stream without content after 64 megabytes of %s', (_what, padding) => {
    const reader = anthropicClient();
    const event = Buffer.from(`data: {"padding":"${padding}"}\n\n`);
    let sent = 0;
    const push = (): void => {
      for (; sent < 100; sent += 1) reader.push(event);
    };
    expect(push).toThrow('The upstream sent a stream without content.');
    expect(sent).toBeGreaterThan(60);
  });
});

describe('what a translated stream keeps beside its content', () => {
  type Kept = (long: string, nth: number) => object[];
  const vendors: Partial<Record<UpstreamDialectId, Kept>> = {
    'openai-chat': (title) => {
      const citation = { url: 'https://a.test', title, start_index: 0, end_index: 1e9 };
      const annotations = [{ type: 'url_citation', url_citation: citation }];
      return [{ choices: [{ index: 0, delta: { content: 'x', annotations } }] }];
    },
    'anthropic-messages': (query, index) => {
      const content_block = { type: 'server_tool_use', id: `c${index}`, name: 'web_search', input: { query } };
      const block = { type: 'content_block_start', index, content_block };
      return [block, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } }];
    },
    gemini: (query, nth) => {
      const groundingMetadata = { webSearchQueries: [`${nth} ${query}`] };
      return [{ candidates: [{ index: 0, content: { parts: [{ text: 'x' }] }, groundingMetadata }] }];
    },
    'bedrock-converse': (title) => [
      { contentBlockDelta: { contentBlockIndex: 0, delta: { citation: { title } } } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'x' } } },
    ],
    'openai-responses': (title, nth) => [
      { type: 'response.output_item.added', output_index: nth, item: { type: 'message', id: 'm', title } },
      { type: 'response.output_text.delta', output_index: nth, content_index: 0, delta: 'x' },
    ],
  };
  const clients: DialectId[] = ['openai-chat', 'anthropic-messages', 'gemini', 'openai-responses'];

  function translate(from: UpstreamDialectId, to: DialectId, fields = {}): TranslatingReader {
    const [upstream, client] = [getUpstreamDialect(from).chat, getDialect(to).chat];
    if (upstream === undefined || client === undefined) throw new Error('not for chats');
    return new TranslatingReader(
      upstream,
      from,
      client,
      sampleRequest(to, { stream: true, ...fields }),
      sampleTarget('custom'),
    );
  }

  it.each(
    Object.entries(vendors).flatMap(([from, kept]) =>
      clients.map((to) => [from as UpstreamDialectId, to, kept] as const),
    ),
  )('counts until its end: from %s to %s', (from, to, kept) => {
    const reader = translate(from, to);
    let written = 0;
    for (let nth = 1; nth <= 40; nth += 1)
      for (const json of kept('a b'.repeat(50_000), nth)) {
        const event = `${from === 'bedrock-converse' ? `event: ${Object.keys(json)[0]}\n` : ''}data: ${JSON.stringify(json)}\n\n`;
        written += reader.push(Buffer.from(event)).length;
      }
    expect(written).toBeLessThan(100_000);
    expect(reader.heldBytes).toBeGreaterThan(3 * (40 * 150_000 - 1_100_000));
  });

  it('counts small pieces that the client gets at the end', () => {
    const reader = translate('openai-chat', 'gemini');
    const delta = { content: 'x', refusal: 'no '.repeat(100) };
    const event = Buffer.from(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
    for (let nth = 0; nth < 20_000; nth += 1) reader.push(event);
    expect(reader.heldBytes).toBeGreaterThan(3 * (20_000 * 300 - 1_100_000));
  });

  it('counts nothing of a long stream of short pieces', () => {
    for (const to of clients.slice(1)) {
      const reader = translate('openai-chat', to, { thinking: { type: 'enabled', budget_tokens: 1_024 } });
      const chunk = (delta: object) => {
        const fields = {
          id: 'chatcmpl-1',
          object: 'chat.completion.chunk',
          created: 1,
          model: 'm',
          padding: 'x'.repeat(300),
        };
        return `data: ${JSON.stringify({ ...fields, choices: [{ index: 0, delta }] })}\n\n`;
      };
      for (const delta of [{ reasoning_content: 'Hmm' }, { content: 'word ' }])
        for (let nth = 0; nth < 20_000; nth += 1) reader.push(Buffer.from(chunk(delta)));
      expect(reader.heldBytes).toBeLessThan(to === 'openai-responses' ? 2_000_000 : 10_000);
    }
  });

  it('bounds the number of parts of a message', () => {
    const reader = translate('openai-chat', 'openai-responses');
    const choices = [{ index: 0, delta: { content: 'x', refusal: 'y' } }];
    const event = Buffer.from(`data: ${JSON.stringify({ choices })}\n\n`);
    const push = (): void => {
      for (let nth = 0; nth < 6_000; nth += 1) reader.push(event);
    };
    expect(push).toThrow('too many items');
  });

  it.each(clients)('repeats no long source without limit for %s', (to) => {
    const reader = translate('gemini', to);
    const support = (nth: number) => ({ segment: { startIndex: 0, endIndex: nth }, groundingChunkIndices: [0] });
    const groundingMetadata = {
      groundingChunks: [{ web: { uri: 'https://a.test', title: 'a'.repeat(8_000) } }],
      groundingSupports: Array.from({ length: 5_000 }, (_, nth) => support(nth)),
    };
    const content = { parts: [{ text: 'x'.repeat(5_000) }] };
    const event = `data: ${JSON.stringify({ candidates: [{ index: 0, content, groundingMetadata }] })}\n\n`;
    expect(reader.push(Buffer.from(event)).length).toBeLessThan(6_000_000);
  });
});
