import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UpstreamError } from '../errors/upstream-error.ts';
import type { ResponseReader } from '../model/upstream-exchange.ts';
import { fixture, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { planExchange } from './plan-exchange.ts';

const usageOfFixture = { input: 20, cachedRead: 100, output: 10, reasoning: 20 };

function openaiReader(fields: Record<string, unknown> = {}): ResponseReader {
  return planExchange(sampleRequest('openai-chat', { stream: true, ...fields }), sampleTarget('custom')).readResponse();
}

function anthropicReader(): ResponseReader {
  return planExchange(sampleRequest('anthropic-messages', { stream: true }), sampleTarget('anthropic')).readResponse();
}

function readAll(reader: ResponseReader, body: Buffer | string): string {
  return Buffer.concat([reader.push(Buffer.from(body)), reader.end()]).toString();
}

function grown(tokens: number): string {
  return `data: {"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":${tokens}}}\n\n`;
}

describe('a passing OpenAI stream', () => {
  const body = fixture('openai/chat-text.sse');

  it('reaches a client that requested usage byte for byte', () => {
    const reader = openaiReader({ stream_options: { include_usage: true } });
    expect(readAll(reader, body)).toBe(body.toString());
    expect(reader.meter.usage).toMatchObject(usageOfFixture);
  });

  it('meters an OpenAI stream equally whether events after an error arrive with it or later', () => {
    const events = [
      '{"choices":[{"delta":{"content":"a"}}]}',
      '{"error":"x"}',
      '{"choices":[{"delta":{"content":"b"}}]}',
    ];
    const framed = events.map((event) => `data: ${event}\n\n`);
    for (const chunks of [framed, [framed.join('')]]) {
      const reader = openaiReader();
      const bytes = chunks.map((chunk) => reader.push(Buffer.from(chunk)).toString());
      expect(bytes.join('')).toBe(framed[0]);
      expect(reader.meter).toMatchObject({ deliveredCharacters: 1, deliveredSample: 'a' });
      expect(() => reader.end()).toThrow(UpstreamError);
    }
  });

  it('forwards the chunk itself, not a copy', () => {
    const chunk = Buffer.from('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
    expect(openaiReader().push(chunk)).toBe(chunk);
  });

  it('reaches a client that did not request usage without the usage chunk', () => {
    const reader = openaiReader();
    const expected = body.toString().replace(/data: \{[^\n]*"choices":\[\],"usage"[^\n]*\n\n/, '');
    expect(readAll(reader, body)).toBe(expected);
    expect(reader.meter.usage).toMatchObject(usageOfFixture);
    expect(reader.meter.deliveredCharacters).toBe('Say "usage": 柏林 🐻'.length - 1);
  });

  it('keeps Azure’s first chunk without choices', () => {
    expect(readAll(openaiReader(), fixture('azure/chat-filtered-first-chunk.sse'))).toContain('prompt_filter_results');
  });

  const ended = (index: number): string =>
    `data: {"choices":[{"index":${index},"delta":{},"finish_reason":"stop"}]}\n\n`;

  it('finishes an OpenAI stream of several choices with the last one', () => {
    const reader = openaiReader({ n: 2 });
    reader.push(Buffer.from(ended(1) + ended(1)));
    expect(reader.meter.finished).toBe(false);
    reader.push(Buffer.from(ended(0)));
    expect(reader.meter.finished).toBe(true);
    reader.end();
  });

  it('rejects an OpenAI stream of several choices that breaks off after the first', () => {
    const reader = openaiReader({ n: 2 });
    reader.push(Buffer.from(ended(0)));
    expect(() => reader.end()).toThrow(UpstreamError);
  });

  it('finishes an OpenAI stream with [DONE] although it has fewer choices than requested', () => {
    const reader = openaiReader({ n: 2 });
    readAll(reader, `${ended(0)}data: [DONE]\n\n`);
    expect(reader.meter.finished).toBe(true);
  });

  it('ignores the finish reason "null" in an OpenAI stream', () => {
    const reader = openaiReader();
    reader.push(Buffer.from('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"null"}]}\n\n'));
    expect(reader.meter.finished).toBe(false);
  });

  it('forwards and meters an OpenAI stream equally however its bytes are split', () => {
    const whole = openaiReader();
    const expected = readAll(whole, body);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 40 }), (sizes) => {
        const reader = openaiReader();
        const seen: Buffer[] = [];
        let at = 0;
        for (let turn = 0; at < body.length; turn++) {
          const end = at + (sizes[turn % sizes.length] ?? 1);
          seen.push(reader.push(body.subarray(at, end)));
          at = end;
        }
        seen.push(reader.end());
        expect(Buffer.concat(seen).toString()).toBe(expected);
        expect(reader.meter).toEqual(whole.meter);
      }),
    );
  });

  it('reads CRLF lines and a last event without its empty line', () => {
    const reader = openaiReader();
    readAll(reader, body.toString().trimEnd().replaceAll('\n', '\r\n'));
    expect(reader.meter.usage).toMatchObject(usageOfFixture);
  });

  it('counts nothing while only the role has arrived', () => {
    const reader = openaiReader();
    reader.push(Buffer.from('data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n'));
    expect(reader.meter.deliveredCharacters).toBe(0);
  });

  it('uses the last of many growing usage reports', () => {
    const reader = openaiReader();
    readAll(reader, `${grown(1)}${grown(2)}${grown(3)}data: [DONE]\n\n`);
    expect(reader.meter.usage).toMatchObject({ input: 5, output: 3 });
  });

  it('completes an OpenAI stream with a finish reason even without [DONE]', () => {
    const reader = openaiReader();
    readAll(reader, 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
    expect(reader.meter.finished).toBe(true);
  });

  it('rejects an OpenAI stream that is cut before its end', () => {
    const reader = openaiReader();
    reader.push(body.subarray(0, 700));
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind: 'overloaded', code: 'stream_cut' }));
  });

  it('finds the error that Groq writes into its own field', () => {
    const reader = openaiReader();
    reader.push(Buffer.from('data: {"choices":[],"x_groq":{"error":"out of memory"}}\n\n'));
    expect(() => reader.end()).toThrow(expect.objectContaining({ message: 'out of memory' }));
  });

  it('hides an error event, all later events, and any key in its message', () => {
    const reader = openaiReader();
    const good = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
    const error = 'data: {"error":{"message":"key sample-secret-key is bad","code":429}}\n\n';
    expect(reader.push(Buffer.from(good + error + good)).toString()).toBe(good);
    expect(reader.push(Buffer.from(good)).length).toBe(0);
    expect(() => reader.end()).toThrow(
      expect.objectContaining({ kind: 'rate-limited', message: 'key [key] is bad', code: '429' }),
    );
  });
});

describe('a passing Anthropic stream', () => {
  it('passes an Anthropic stream through and meters cache writes by their lifetime', () => {
    const body = fixture('anthropic/messages-thinking.sse');
    const reader = anthropicReader();
    expect(readAll(reader, body)).toBe(body.toString());
    expect(reader.meter.usage).toMatchObject({
      input: 25,
      cachedRead: 1_000,
      cacheWrite5m: 10,
      cacheWrite1h: 30,
      output: 80,
    });
  });

  it('treats an Anthropic stream without message_stop as cut and keeps the known input tokens', () => {
    const reader = anthropicReader();
    const text = fixture('anthropic/messages-thinking.sse').toString();
    reader.push(Buffer.from(text.slice(0, text.indexOf('event: message_delta'))));
    expect(() => reader.end()).toThrow(expect.objectContaining({ code: 'stream_cut' }));
    expect(reader.meter.usage).toMatchObject({ input: 25, cachedRead: 1_000 });
  });

  it('reports an error event as an overloaded upstream', () => {
    const reader = anthropicReader();
    const seen = reader.push(fixture('anthropic/messages-overloaded.sse')).toString();
    expect(seen).not.toContain('error');
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind: 'overloaded', message: 'Overloaded' }));
  });
});

describe('a passing Responses stream', () => {
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  const responses = (): ResponseReader =>
    planExchange(sampleRequest('openai-responses', { stream: true }), sampleTarget('openai')).readResponse();
  const created = event('response.created', { response: { id: 'r', error: null, output: [], usage: null } });
  const delta = event('response.output_text.delta', { output_index: 1, delta: '柏林 ok' });
  const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } };
  const done = event('response.output_item.done', { output_index: 0, item: search });
  const usage = { input_tokens: 5, input_tokens_details: { cached_tokens: 2 }, output_tokens: 3 };

  it.each(['response.completed', 'response.incomplete'])('is forwarded and metered until %s', (type) => {
    const body = created + done + delta + event(type, { response: { output: [search], usage } });
    const reader = responses();
    expect(readAll(reader, body)).toBe(body);
    expect(reader.meter).toMatchObject({
      finished: true,
      deliveredCharacters: 5,
      deliveredWideCharacters: 2,
      usage: { input: 3, cachedRead: 2, output: 3, webSearch: 1 },
    });
  });

  it('rejects a Responses stream that breaks off and keeps the usage of vendor tools', () => {
    const reader = responses();
    reader.push(Buffer.from(created + done + delta));
    expect(() => reader.end()).toThrow(expect.objectContaining({ code: 'stream_cut' }));
    expect(reader.meter.usage).toMatchObject({ input: 0, webSearch: 1 });
  });

  it.each([
    [{ error: { code: 'insufficient_quota', message: 'no' } }, 'out-of-credit'],
    [{ error: { code: 'server_error', message: 'no' } }, 'overloaded'],
    [{ error: { code: 'rate_limit_exceeded', message: 'no' } }, 'rate-limited'],
    [{ error: null }, 'overloaded'],
  ])('that failed with %j is %s', (response, kind) => {
    const reader = responses();
    const text = created + delta;
    expect(reader.push(Buffer.from(text + event('response.failed', { response }))).toString()).toBe(text);
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind }));
  });
});

const words = 'bad key sample-secret-key';

describe('an error within a passing stream', () => {
  const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n';
  const delta =
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}\n\n';
  const shapes = [
    `event: error\ndata: ${JSON.stringify({ message: words, code: 'x' })}\n\n`,
    `event:error\r\ndata: ${words}\r\n\r\n`,
    `data: ${JSON.stringify(words)}\nevent: error\n\n`,
    ...[
      { error: { message: words } },
      { error: words },
      { error: [words] },
      { error: [{ message: words }] },
      { errors: [{ detail: words }] },
      { errors: words },
      { type: 'error', message: words },
      { type: 'response.failed', response: { id: 'r', status: 'failed', error: { code: 'x', message: words } } },
      { type: 'error', error: words },
      { detail: words },
      { detail: [{ loc: ['body'], msg: words }] },
      { detail: { error: words } },
      { message: words, code: 'x', data: null },
      { object: 'error', message: words, code: 40_001, usage: null },
      [{ error: { message: words } }],
      { base_resp: { status_code: 1008, status_msg: words } },
      { choices: null, base_resp: { status_code: '1008', status_msg: words } },
      { choices: [{ delta: { content: 'a' } }], base_resp: { status_code: 1027, status_msg: words } },
      { status: '434', msg: words, body: null },
      { error_code: 17, error_msg: words },
    ].map((data) => `data: ${JSON.stringify(data)}\n\n`),
  ];

  it.each(shapes)('is withheld, and its message has no key: %j', (error) => {
    for (const [make, good] of [
      [openaiReader, chunk],
      [anthropicReader, delta],
    ] as const) {
      const afterContent = make();
      expect(afterContent.push(Buffer.from(good + error + good)).toString()).toBe(good);
      expect(() => afterContent.end()).toThrow(expect.objectContaining({ message: 'bad key [key]' }));
      const first = make();
      expect(first.push(Buffer.from(error)).length).toBe(0);
      expect(() => first.end()).toThrow(expect.objectContaining({ message: 'bad key [key]' }));
    }
  });

  it.each([
    [{ message: 'Incorrect API key provided: xx', code: 401 }, 'unauthorised'],
    [{ error: 'Incorrect API key provided: xx', code: 'invalid-argument' }, 'unauthorised'],
    [{ error: { message: 'no', code: 'insufficient_quota' } }, 'out-of-credit'],
    [{ error: { message: 'no', type: 'rate_limit_error' } }, 'rate-limited'],
    [{ error: { message: 'too long', code: 400 } }, 'rejected'],
    [{ error: { message: 'no', code: 503 } }, 'overloaded'],
    [{ error: { message: 'Invalid value: Incorrect API key provided' } }, 'overloaded'],
  ])('is classified as with a status: %j is %s', (error, kind) => {
    const reader = openaiReader();
    reader.push(Buffer.from(`data: ${JSON.stringify(error)}\n\n`));
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind, status: 200 }));
  });

  it('classifies an error in a stream by its vendor’s codes', () => {
    for (const [provider, error, kind] of [
      ['minimax', { base_resp: { status_code: 1008, status_msg: 'x' } }, 'out-of-credit'],
      ['minimax', { base_resp: { status_code: 1000, status_msg: 'x' } }, 'overloaded'],
      ['openai', { base_resp: { status_code: 1008, status_msg: 'x' } }, 'overloaded'],
      ['zhipu', { error: { code: '1301', message: 'x' } }, 'rejected'],
      ['xunfei', { code: 11_202, message: 'x', sid: 'y' }, 'rate-limited'],
    ] as const) {
      const request = sampleRequest('openai-chat', { stream: true });
      const reader = planExchange(request, sampleTarget(provider)).readResponse();
      reader.push(Buffer.from(`data: ${JSON.stringify(error)}\n\n`));
      expect(() => reader.end()).toThrow(expect.objectContaining({ kind }));
    }
  });

  it.each([
    { choices: [{ delta: { content: '{"error":"x","detail":"y"}\n\nevent: error\ndata: [1]' } }] },
    { choices: [{ delta: { content: 'a', error: 'x', message: 'y', detail: 'z', type: 'error' } }] },
    { choices: [{ delta: { content: 'a' } }], error: null, errors: [], message: 'success', detail: '' },
    { choices: [{ delta: {}, message: 'x' }], error: false },
    { choices: [{ delta: { content: 'a' } }], base_resp: { status_code: 0, status_msg: 'success' } },
    { choices: [{ delta: { content: 'a' } }], base_resp: null, msg: 'ok', code: 0 },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '{"type":"error"}' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'error', error: 'x' }, detail: 'x' },
    { type: 'message_start', message: { content: [], usage: {}, error: 'x' } },
  ])('is not found in %j', (event) => {
    const text = `event: error_free\ndata: ${JSON.stringify(event)}\n\n`;
    for (const reader of [openaiReader(), anthropicReader()]) {
      expect(reader.push(Buffer.from(text)).toString()).toBe(text);
      expect(() => reader.end()).toThrow(expect.objectContaining({ code: 'stream_cut' }));
    }
  });

  it('withholds an error that is not JSON and passes on the events after it', () => {
    const reader = openaiReader();
    const stream = `data: ${words}\n\n${chunk}data: null\n\n${chunk}data: [DONE]\n\n`;
    expect(readAll(reader, stream)).toBe(`${chunk}${chunk}data: [DONE]\n\n`);
  });
});

describe('a final event with too much structure', () => {
  const logprobs = Array.from({ length: 12_000 }, () => {
    return { token: 'a', top_logprobs: Array.from({ length: 20 }, () => ({ token: 'a', logprob: -1, bytes: [97] })) };
  });
  const annotations = Object.fromEntries(Array.from({ length: 10_100 }, (_, nth) => [`${'hint'.repeat(25)}${nth}`, 1]));

  it.each([
    ['alternatives', { type: 'message', content: [{ type: 'output_text', text: 'a', logprobs }] }],
    ['annotations', { type: 'mcp_list_tools', tools: [{ name: 'f', annotations }] }],
  ])('is forwarded, and read for its usage, despite its %s', (_, item) => {
    const request = sampleRequest('openai-responses', { stream: true });
    const reader = planExchange(request, sampleTarget('openai')).readResponse();
    const usage = { input_tokens: 300, output_tokens: 12_000, total_tokens: 12_300 };
    const response = { object: 'response', status: 'completed', output: [item], usage };
    const body = `data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`;
    expect(readAll(reader, body) === body).toBe(true);
    expect(reader.meter).toMatchObject({ finished: true, usage: { input: 300, output: 12_000 } });
  });
});

describe('a plain body instead of a stream', () => {
  it.each([
    ['{"error":{"message":"no"}}', 'overloaded'],
    ['{"choices":[]}', 'garbled'],
    [' <html>', 'garbled'],
  ])('%s is %s', (body, kind) => {
    const reader = openaiReader();
    expect(reader.push(Buffer.from(body)).length).toBe(0);
    expect(() => reader.end()).toThrow(expect.objectContaining({ kind }));
  });

  it('treats an empty body as a cut stream', () => {
    expect(() => openaiReader().end()).toThrow(expect.objectContaining({ code: 'stream_cut' }));
  });
});
