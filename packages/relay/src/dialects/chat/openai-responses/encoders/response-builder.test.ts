import { describe, expect, it } from 'vitest';
import { type JsonObject, listOf, objectOf } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { emptyUsage } from '../../../../model/usage.ts';
import { sampleRequest } from '../../../../testing/sample-requests.ts';
import { parseSseEvents } from '../../../../wire/sse.ts';
import { createStreamEncoder, encodeResponse } from './response-builder.ts';

const start: ResponseEvent = { type: 'start', id: 'chatcmpl-7', model: 'm' };
const finish: ResponseEvent = { type: 'finish', reason: 'stop' };

interface Written {
  events: JsonObject[];
  response: JsonObject;
  output: JsonObject[];
  lost: string[];
}

function write(events: readonly ResponseEvent[], request: JsonObject = {}): Written {
  const lost = new Set<string>();
  const encoder = createStreamEncoder(sampleRequest('openai-responses', request), lost);
  const text = events.map((event) => encoder.push(event)).join('') + encoder.end();
  const written: JsonObject[] = parseSseEvents(Buffer.from(text)).map(({ data }) => JSON.parse(data));
  const response = objectOf(written.at(-1)?.['response']);
  return { events: written, response, output: listOf(response['output']).map(objectOf), lost: [...lost] };
}

function types(written: Written): unknown[] {
  return written.events.map((event) => event['type']);
}

describe('a stream of Responses', () => {
  it('ends when the upstream makes more than 10000 items of it', () => {
    const alternating = (count: number): ResponseEvent[] =>
      Array.from({ length: count }, (_, at) => ({ type: at % 2 === 0 ? 'text' : 'reasoning', text: 'a' }));
    expect(write([start, ...alternating(1_000), finish]).output).toHaveLength(1_000);
    expect(() => write([start, ...alternating(10_001), finish])).toThrow('too many items');
  });

  it('writes a message from its first text to the final response', () => {
    const usage = { ...emptyUsage(), input: 2, output: 1 };
    const written = write([
      start,
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
      { type: 'usage', usage },
      finish,
    ]);
    expect(types(written)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(written.response).toMatchObject({
      id: expect.stringMatching(/^resp_[0-9a-f]{32}$/),
      object: 'response',
      model: 'm',
      status: 'completed',
      error: null,
      usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 },
      output: [
        {
          id: 'msg_7_0',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'ab', annotations: [], logprobs: [] }],
        },
      ],
    });
  });

  it('starts once, even if the upstream sends no start or two', () => {
    expect(types(write([{ type: 'text', text: 'a' }, finish])).slice(0, 2)).toEqual([
      'response.created',
      'response.in_progress',
    ]);
    expect(types(write([start, start, finish]))).toEqual([
      'response.created',
      'response.in_progress',
      'response.completed',
    ]);
  });

  it('writes nothing before the first content', () => {
    const encoder = createStreamEncoder(sampleRequest('openai-responses', {}), new Set());
    expect(encoder.push(start)).toBe('');
    expect(encoder.push({ type: 'text', text: 'a' })).toContain('response.created');
  });

  it('repeats the client’s settings', () => {
    const asked = {
      instructions: 'i',
      tools: [{ type: 'function', name: 'f' }],
      tool_choice: 'required',
      parallel_tool_calls: false,
      temperature: 0.5,
      max_output_tokens: 9,
      metadata: { a: 'b' },
      reasoning: { effort: 'low' },
      text: { verbosity: 'low' },
      user: 'u',
    };
    const { events, response } = write([start, finish], asked);
    const repeated = {
      ...asked,
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'text' }, verbosity: 'low' },
    };
    expect(events[0]?.['response']).toMatchObject({ ...repeated, status: 'in_progress', output: [] });
    expect(response).toMatchObject({ ...repeated, store: true });
  });

  it('writes a thought as a separate item, closed by its signature', () => {
    const { output, events } = write([
      start,
      { type: 'reasoning', text: 'a' },
      { type: 'reasoning', text: 'b' },
      { type: 'reasoning-proof', signature: { origin: 'anthropic-messages', kind: 'signature', value: 'S' } },
      { type: 'reasoning', text: 'c' },
      { type: 'text', text: 'd' },
      finish,
    ]);
    expect(output).toMatchObject([
      {
        id: 'rs_7_0',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'ab' }],
        encrypted_content: 'switchyard.anthropic-messages.signature.S',
      },
      { id: 'rs_7_1', summary: [{ text: 'c' }] },
      { type: 'message' },
    ]);
    expect(events.filter((event) => event['summary_index'] === 0)).toHaveLength(9);
  });

  it('keeps a signature without text before the item that it signs', () => {
    const own = { origin: 'openai-responses', kind: 'signature', value: 'rs_9|E' } as const;
    const { output } = write([
      start,
      { type: 'reasoning-proof', signature: own },
      { type: 'tool-call', index: 0, callId: 'c', name: 'f' },
      finish,
    ]);
    expect(output).toMatchObject([
      { id: 'rs_9', type: 'reasoning', summary: [], encrypted_content: 'E' },
      { type: 'function_call', call_id: 'c', arguments: '{}' },
    ]);
  });

  it('writes parallel calls with interleaved fragments, each at its own index', () => {
    const { output, events } = write([
      start,
      { type: 'tool-call', index: 0, callId: 'a', name: 'f' },
      { type: 'tool-call', index: 1, callId: 'b', name: 'g' },
      { type: 'tool-arguments', index: 1, text: '2' },
      { type: 'tool-arguments', index: 0, text: '1' },
      { type: 'text', text: 'meanwhile' },
      { type: 'tool-arguments', index: 1, text: '3' },
      { type: 'finish', reason: 'tool-calls' },
    ]);
    expect(output).toMatchObject([
      { id: 'fc_7_0', type: 'function_call', call_id: 'a', name: 'f', arguments: '1', status: 'completed' },
      { id: 'fc_7_1', call_id: 'b', name: 'g', arguments: '23' },
      { type: 'message' },
    ]);
    const deltas = events.filter((event) => event['type'] === 'response.function_call_arguments.delta');
    expect(deltas.map((event) => [event['output_index'], event['delta']])).toEqual([
      [1, '2'],
      [0, '1'],
      [1, '3'],
    ]);
  });

  it.each([
    ['{"input":"SELECT 1"}', 'SELECT 1'],
    ['SELECT 1', 'SELECT 1'],
    ['{"sql":1}', '{"sql":1}'],
  ])('sends plain text to a tool that was declared with plain text: %s', (text, input) => {
    const { output, events } = write(
      [
        start,
        { type: 'tool-call', index: 0, callId: 'c', name: 'sql' },
        { type: 'tool-arguments', index: 0, text },
        finish,
      ],
      { tools: [{ type: 'custom', name: 'sql' }] },
    );
    expect(output).toEqual([
      { id: 'ctc_7_0', type: 'custom_tool_call', status: 'completed', call_id: 'c', name: 'sql', input },
    ]);
    expect(events.filter((event) => event['delta'] !== undefined)).toMatchObject([
      { type: 'response.custom_tool_call_input.delta', delta: input },
    ]);
  });

  it('writes citations into the open part', () => {
    const citation = { url: 'https://a.test', title: 't', start: 4, end: 99 };
    const { output, lost } = write([
      start,
      { type: 'text', text: '123' },
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'abc' },
      { type: 'citation', citation },
      { type: 'citation', citation: { title: 'a.pdf', start: 0, end: 99 } },
      { type: 'citation', citation: { start: 0, end: 99 } },
      finish,
    ]);
    const annotation = { type: 'url_citation', url: 'https://a.test', title: 't', start_index: 1, end_index: 3 };
    const file = { type: 'file_citation', file_id: 'a.pdf', filename: 'a.pdf', index: 3 };
    expect(output[2]).toMatchObject({ content: [{ text: 'abc', annotations: [annotation, file] }] });
    expect(lost).toEqual(['citation']);
  });

  it('writes log probabilities on request', () => {
    const tokens = [{ token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2, bytes: [98] }] }];
    const events: ResponseEvent[] = [start, { type: 'text', text: 'a' }, { type: 'logprobs', tokens }, finish];
    const logprobs = [{ token: 'a', logprob: -1, bytes: [], top_logprobs: [{ token: 'b', logprob: -2, bytes: [98] }] }];
    const asked = write(events, { include: ['message.output_text.logprobs'] });
    expect(asked.output[0]).toMatchObject({ content: [{ text: 'a', logprobs }] });
    expect(write(events, { top_logprobs: 1 }).output).toEqual(asked.output);
    expect(write(events).output[0]).toMatchObject({ content: [{ text: 'a', logprobs: [] }] });
  });

  it('writes vendor tool calls, and images', () => {
    const { output } = write([
      start,
      {
        type: 'vendor-call',
        call: { tool: 'web-search', callId: 'x', input: 'q', sources: [{ url: 'https://a.test', title: 't' }] },
      },
      { type: 'vendor-call', call: { tool: 'url-fetch', callId: 'y', input: 'https://a.test', isError: true } },
      { type: 'vendor-call', call: { tool: 'code-execution', callId: 'z', input: '1+1', output: '2' } },
      { type: 'image', mediaType: 'image/png', data: 'QQ==' },
      finish,
    ]);
    expect(output).toMatchObject([
      {
        id: 'ws_7_0',
        type: 'web_search_call',
        status: 'completed',
        action: { type: 'search', query: 'q', sources: [{ type: 'url', url: 'https://a.test' }] },
      },
      { status: 'failed', action: { type: 'open_page', url: 'https://a.test' } },
      { id: 'ci_7_2', type: 'code_interpreter_call', code: '1+1', outputs: [{ type: 'logs', logs: '2' }] },
      { id: 'ig_7_3', type: 'image_generation_call', status: 'completed', result: 'QQ==' },
    ]);
  });

  it('reports unsupported fields', () => {
    const sound: ResponseEvent = { type: 'audio', mediaType: 'audio/wav', data: 'QQ==' };
    expect(write([start, sound, { type: 'text', text: 'b', choice: 1 }, finish])).toMatchObject({
      lost: ['audio', 'n'],
      output: [],
    });
  });

  it.each<[ResponseEvent & { type: 'finish' }, JsonObject]>([
    [
      { type: 'finish', reason: 'length' },
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ],
    [
      { type: 'finish', reason: 'content-filter' },
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ],
    [
      { type: 'finish', reason: 'refusal' },
      { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
    ],
    [
      { type: 'finish', reason: 'malformed-call' },
      { status: 'failed', error: { code: 'server_error' } },
    ],
    [{ type: 'finish', reason: 'pause' }, { status: 'completed' }],
    [{ type: 'finish', reason: 'other' }, { status: 'completed' }],
  ])('ends with %j', (end, expected) => {
    const written = write([start, { type: 'text', text: 'a' }, end]);
    expect(written.response).toMatchObject(expected);
    expect(types(written).at(-1)).toBe(`response.${String(expected['status'])}`);
    const isCut = expected['status'] !== 'completed';
    expect(written.output[0]).toMatchObject({ status: isCut ? 'incomplete' : 'completed' });
  });

  it('completes a stream that ends with a refusal in text', () => {
    const { response, output } = write([start, { type: 'refusal', text: 'no' }, { type: 'finish', reason: 'refusal' }]);
    expect(response['status']).toBe('completed');
    expect(output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'no' }] }]);
  });

  it('limits the size of a held response', () => {
    const encoder = createStreamEncoder(sampleRequest('openai-responses'), new Set());
    const text = 'x'.repeat(1024 * 1024);
    const write = (): void => {
      for (let megabytes = 0; megabytes < 65; megabytes++) encoder.push({ type: 'text', text });
    };
    expect(write).toThrow(expect.objectContaining({ kind: 'garbled' }));
  });
});

describe('a non-streaming response', () => {
  it('ends even if the upstream sends no end', () => {
    const request = sampleRequest('openai-responses');
    expect(JSON.parse(encodeResponse([start, { type: 'text', text: 'a' }], request, new Set()))).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'a' }] }],
    });
  });
});
