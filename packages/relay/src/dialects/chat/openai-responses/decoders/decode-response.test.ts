import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objectOf } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { startCpuTimer } from '../../../../testing/cpu-timer.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';

type Event = Record<string, unknown>;

function decode(events: readonly Event[], lost = new Set<string>()): ResponseEvent[] {
  const decoder = createStreamDecoder(lost);
  return [...events.flatMap((event) => decoder.push(objectOf(event))), ...decoder.end(false)];
}

const created = { type: 'response.created', response: { id: 'resp_1', model: 'm' } };

function completed(response: Event = {}): Event {
  return { type: 'response.completed', response: { id: 'resp_1', model: 'm', status: 'completed', ...response } };
}

function itemDone(output_index: number, item: Event): Event {
  return { type: 'response.output_item.done', output_index, item };
}

/** Without the start and the finish. */
function said(...events: Event[]): ResponseEvent[] {
  return decode([created, ...events, completed()]).slice(1, -1);
}

const proof = { origin: 'openai-responses', kind: 'signature' };
const call = { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f' };

describe('the text of a Responses stream', () => {
  const delta = (text: string, at = 0): Event => ({
    type: 'response.output_text.delta',
    output_index: at,
    content_index: 0,
    delta: text,
  });
  const whole = (text: string): Event => ({
    type: 'message',
    content: [{ type: 'output_text', text, annotations: [] }],
  });

  it('emits the text once although it arrives in fragments and twice in full', () => {
    const textDone = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'ab' };
    const events = said(delta('a'), delta('b'), textDone, itemDone(0, whole('ab')));
    expect(events).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ]);
  });

  it('takes milliseconds for items with thousands of parts', () => {
    const content = Array.from({ length: 9_000 }, () => ({ type: 'output_text', text: 'a', annotations: [] }));
    const output = Array.from({ length: 8 }, () => ({ type: 'message', content }));
    const readCpuMs = startCpuTimer();
    const events = decode([completed({ output })]);
    const cpuMs = readCpuMs();
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(72_000);
    expect(cpuMs).toBeLessThan(1_000);
  });

  it('takes milliseconds for thousands of streamed parts whose ends have other texts and positions', () => {
    const parts = Array.from({ length: 9_000 }, (_, at) => at);
    const streamed = parts.map((at) => ({ ...delta('a'), content_index: at }));
    const end = { type: 'response.refusal.done', output_index: 0, content_index: 0, refusal: 'ab' };
    const ends = Array.from({ length: 36_000 }, () => end);
    const readCpuMs = startCpuTimer();
    const events = said(...streamed, ...ends);
    const cpuMs = readCpuMs();
    expect(events.filter(({ type }) => type === 'text')).toHaveLength(9_000);
    expect(cpuMs).toBeLessThan(1_000);
  });

  it.each([
    ['done', [{ type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'ab' }]],
    ['item', [itemDone(0, whole('ab'))]],
  ])('may arrive only with its end (%s)', (_, events) => {
    expect(said(...events)).toEqual([{ type: 'text', text: 'ab' }]);
  });

  it('may arrive only with the end of the response', () => {
    const events = decode([created, completed({ output: [whole('ab')] })]);
    expect(events.map((event) => event.type)).toEqual(['start', 'text', 'finish']);
  });

  it('has citation positions in the whole response, however the items count them', () => {
    const citation = (at: number, fields: Event): Event => ({
      type: 'response.output_text.annotation.added',
      output_index: at,
      content_index: 0,
      annotation: { type: 'url_citation', url: 'https://a.test', title: 't', ...fields },
    });
    const events = said(
      delta('12345'),
      delta('abc', 7),
      citation(7, { start_index: 1, end_index: 2 }),
      citation(7, {}),
    );
    const place = { url: 'https://a.test', title: 't' };
    expect(events.slice(2)).toEqual([
      { type: 'citation', citation: { ...place, start: 6, end: 7 } },
      { type: 'citation', citation: { ...place, start: 8, end: 8 } },
    ]);
  });

  it('cites files by name, and reports invalid citations', () => {
    const lost = new Set<string>();
    const annotations = [
      { type: 'file_citation', filename: 'a.pdf', file_id: 'f', index: 1 },
      { type: 'file_path', file_id: 'f', index: 1 },
    ];
    const message = { type: 'message', content: [{ type: 'output_text', text: 'ab', annotations }] };
    const events = decode([created, itemDone(0, message)], lost);
    expect(events.slice(2)).toEqual([{ type: 'citation', citation: { title: 'a.pdf', start: 1, end: 1 } }]);
    expect([...lost]).toEqual(['annotations.file_path']);
  });

  it('emits the log probabilities of the tokens after their text', () => {
    const logprobs = [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [{ token: 'b', logprob: -2, bytes: [] }] }];
    expect(said({ ...delta('a'), logprobs })).toEqual([
      { type: 'text', text: 'a' },
      { type: 'logprobs', tokens: [{ token: 'a', logprob: -1, bytes: [97], top: [{ token: 'b', logprob: -2 }] }] },
    ]);
  });

  it('may be a refusal', () => {
    const refusal = { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'no' };
    const events = decode([created, refusal, completed()]);
    expect(events.slice(1)).toEqual([
      { type: 'refusal', text: 'no' },
      { type: 'finish', reason: 'refusal' },
    ]);
  });
});

describe('thoughts', () => {
  const thought = (index: number, delta: string): Event => ({
    type: 'response.reasoning_summary_text.delta',
    output_index: 0,
    summary_index: index,
    delta,
  });
  const item = (fields: Event): Event => itemDone(0, { type: 'reasoning', id: 'rs_1', ...fields });

  it('reads thoughts as paragraphs, signed by the encrypted content and the item’s last id', () => {
    const added = {
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'reasoning', id: 'rs_0', encrypted_content: 'early' },
    };
    const events = said(added, thought(0, 'a'), thought(0, 'b'), thought(1, 'c'), item({ encrypted_content: 'E' }));
    expect(events).toEqual([
      { type: 'reasoning', text: 'a' },
      { type: 'reasoning', text: 'b' },
      { type: 'reasoning', text: '\n\n' },
      { type: 'reasoning', text: 'c' },
      { type: 'reasoning-proof', signature: { ...proof, value: 'rs_1|E' } },
    ]);
  });

  it('without text are their signature, and nothing without a signature', () => {
    expect(said(item({ summary: [], encrypted_content: 'E' }))).toEqual([
      { type: 'reasoning-proof', signature: { ...proof, value: 'rs_1|E' } },
    ]);
    expect(said(item({ summary: [] }))).toEqual([]);
  });

  it('emits the thoughts of open models in full', () => {
    const text = { type: 'response.reasoning_text.delta', output_index: 0, content_index: 0, delta: 'hm' };
    expect(said(text, item({ summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }))).toEqual([
      { type: 'reasoning', text: 'hm' },
    ]);
  });
});

describe('calls', () => {
  const added = (output_index: number, item: Event): Event => ({
    type: 'response.output_item.added',
    output_index,
    item,
  });
  const piece = (output_index: number, delta: string, kind = 'function_call_arguments'): Event => ({
    type: `response.${kind}.delta`,
    output_index,
    delta,
  });

  it('identifies calls by output index although their ids change', () => {
    const events = said(
      added(2, { ...call, id: 'fc_1', call_id: 'a', arguments: '' }),
      added(5, { ...call, id: 'fc_2', call_id: 'b', arguments: '' }),
      piece(5, '2'),
      piece(2, '1'),
      itemDone(2, { ...call, id: 'fc_9', call_id: 'a', arguments: '1' }),
      itemDone(5, { ...call, id: 'fc_8', call_id: 'b', arguments: '2' }),
    );
    expect(events).toEqual([
      { type: 'tool-call', index: 0, callId: 'a', name: 'f' },
      { type: 'tool-call', index: 1, callId: 'b', name: 'f' },
      { type: 'tool-arguments', index: 1, text: '2' },
      { type: 'tool-arguments', index: 0, text: '1' },
    ]);
  });

  it.each([
    [
      'arguments.done',
      [added(0, call), { type: 'response.function_call_arguments.done', output_index: 0, arguments: '1' }],
    ],
    ['item.done', [added(0, call), itemDone(0, { ...call, arguments: '1' })]],
    ['item.done alone', [itemDone(0, { ...call, arguments: '1' })]],
    ['pieces that nobody announced', [piece(0, '1'), itemDone(0, { ...call, arguments: '1' })]],
    ['pieces without an end', [added(0, call), piece(0, '1')]],
  ])('are complete with %s', (_, events) => {
    expect(said(...events)).toEqual([
      { type: 'tool-call', index: 0, callId: 'c', name: 'f' },
      { type: 'tool-arguments', index: 0, text: '1' },
    ]);
  });

  it('without arguments have an empty object', () => {
    expect(said(added(0, call), itemDone(0, { ...call, arguments: '' })).at(-1)).toMatchObject({ text: '{}' });
    expect(said(added(0, call)).at(-1)).toMatchObject({ text: '{}' });
  });

  it('writes the plain text of a custom tool call as an argument, wherever it is split', () => {
    const custom = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'sql' };
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), (pieces) => {
        const input = pieces.join('');
        const events = said(
          added(0, { ...custom, input: '' }),
          ...pieces.map((text) => piece(0, text, 'custom_tool_call_input')),
          itemDone(0, { ...custom, input }),
        );
        const written = events.map((event) => (event.type === 'tool-arguments' ? event.text : '')).join('');
        expect(JSON.parse(written)).toEqual({ input });
      }),
    );
  });

  it('finish the response with tool-calls', () => {
    expect(decode([created, itemDone(0, call), completed()]).at(-1)).toMatchObject({ reason: 'tool-calls' });
  });
});

describe('vendor tool calls', () => {
  it('emits vendor tool calls when they are done', () => {
    const search = {
      type: 'web_search_call',
      id: 'ws_1',
      status: 'completed',
      action: { type: 'search', queries: ['a', 'b'], sources: [{ type: 'url', url: 'https://a.test' }] },
    };
    const code = { type: 'code_interpreter_call', id: 'ci_1', status: 'failed', code: '1', outputs: null };
    expect(said(itemDone(0, search), itemDone(1, code))).toMatchObject([
      { call: { tool: 'web-search', callId: 'ws_1', input: 'a\nb', sources: [{ url: 'https://a.test', title: '' }] } },
      { call: { tool: 'code-execution', input: '1', isError: true } },
      { type: 'usage', usage: { webSearch: 1, codeExecution: 0 } },
    ]);
  });

  it('may be images', () => {
    const image = { type: 'image_generation_call', result: 'QQ==', output_format: 'webp' };
    expect(said(itemDone(0, image))[0]).toEqual({ type: 'image', mediaType: 'image/webp', data: 'QQ==' });
  });

  it('without a neutral form are reported as unsupported', () => {
    const lost = new Set<string>();
    decode([created, itemDone(0, { type: 'mcp_call' }), itemDone(1, {})], lost);
    expect([...lost]).toEqual(['output.mcp_call', 'output.unknown']);
  });
});

describe('the end of a response', () => {
  it.each([
    [{ status: 'completed' }, 'stop'],
    [{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }, 'length'],
    [{ status: 'incomplete', incomplete_details: { reason: 'content_filter' } }, 'content-filter'],
    [{ status: 'incomplete', incomplete_details: { reason: 'else' } }, 'other'],
    [{}, 'stop'],
  ])('is read from %j as %s', (response, reason) => {
    expect(decodeResponse({ id: 'x', model: 'm', output: [], ...response }, new Set()).at(-1)).toEqual({
      type: 'finish',
      reason,
    });
  });

  it.each(['queued', 'in_progress', 'cancelled'])('is missing in a non-streaming response that is %s', (status) => {
    const events = decodeResponse({ id: 'x', model: 'm', output: [], status }, new Set());
    expect(events.map(({ type }) => type)).toEqual(['start']);
  });

  it('emits the finish event once, after the usage, and none for a stream that was cut', () => {
    const usage = { input_tokens: 3, output_tokens: 2 };
    const events = decode([created, completed({ usage }), completed({ usage })]);
    expect(events.map((event) => event.type)).toEqual(['start', 'usage', 'finish']);
    expect(decode([created]).map((event) => event.type)).toEqual(['start']);
  });
});

describe('an endless response', () => {
  const delta = { type: 'response.output_text.delta', delta: 'a' };

  it('rejects a response with too many items or parts as garbled', () => {
    const garbled = expect.objectContaining({ kind: 'garbled' });
    const items = Array.from({ length: 10_001 }, (_, output_index) => ({ ...delta, output_index }));
    expect(() => decode(items)).toThrow(garbled);
    const parts = items.map(({ output_index }) => ({ ...delta, output_index: 0, content_index: output_index }));
    expect(() => decode(parts)).toThrow(garbled);
    expect(() => decode(items.slice(1))).not.toThrow();
  });
});

describe('a non-streaming Responses response', () => {
  it('has the same events as its stream', () => {
    const output = [
      { type: 'reasoning', id: 'rs_1', summary: [{ text: 'a' }, { text: 'b' }], encrypted_content: 'E' },
      { type: 'message', content: [{ type: 'output_text', text: 'hi' }] },
      { ...call, arguments: '{"a":1}' },
    ];
    const usage = { input_tokens: 3, output_tokens: 2 };
    const response = { id: 'resp_1', model: 'm', status: 'completed', output, usage };
    const streamed = decode([
      created,
      ...output.map((item, index) => itemDone(index, item)),
      { type: 'response.completed', response },
    ]);
    expect(decodeResponse(response, new Set())).toEqual(streamed);
    expect(streamed.map((event) => event.type)).toEqual([
      'start',
      'reasoning',
      'reasoning',
      'reasoning',
      'reasoning-proof',
      'text',
      'tool-call',
      'tool-arguments',
      'usage',
      'finish',
    ]);
  });
});
