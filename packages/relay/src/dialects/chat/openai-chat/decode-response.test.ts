import { describe, expect, it } from 'vitest';
import { objectOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';
import { startCpuTimer } from '../../../testing/cpu-timer.ts';
import { createStreamDecoder, decodeResponse } from './decode-response.ts';

function decode(...chunks: unknown[]): ResponseEvent[] {
  const decoder = createStreamDecoder(new Set());
  const events = chunks.flatMap((chunk) => (chunk === '[DONE]' ? decoder.end(true) : decoder.push(objectOf(chunk))));
  return [...events, ...decoder.end(false)];
}

function delta(delta: unknown, finish_reason: string | null = null): unknown {
  return { id: 'x', model: 'm', choices: [{ index: 0, delta, finish_reason }] };
}

function toolDelta(...tool_calls: unknown[]): unknown {
  return delta({ tool_calls });
}

function calls(events: readonly ResponseEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'tool-call') return [`${event.index} ${event.callId} ${event.name}`];
    return event.type === 'tool-arguments' ? [`${event.index} ${event.text}`] : [];
  });
}

describe('tool calls in a stream', () => {
  it('distinguishes streamed tool calls by index', () => {
    const events = decode(
      toolDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
      toolDelta({ index: 1, id: 'b', function: { name: 'g', arguments: '1' } }),
      toolDelta({ index: 0, function: { arguments: '2' } }),
    );
    expect(calls(events)).toEqual(['0 a f', '1 b g', '1 1', '0 2']);
  });

  it('may start at another index than 0', () => {
    const events = decode(toolDelta({ index: 1, id: 'a', function: { name: 'f', arguments: '{}' } }));
    expect(calls(events)).toEqual(['0 a f', '0 {}']);
  });

  it('may have the name after the id', () => {
    const events = decode(
      toolDelta({ index: 0, id: 'a' }),
      toolDelta({ index: 0, function: { name: 'f' } }),
      toolDelta({ index: 0, function: { arguments: '{}' } }),
    );
    expect(calls(events)).toEqual(['0 a f', '0 {}']);
  });

  it('may lack the index, and have empty ids and names later', () => {
    const events = decode(
      toolDelta({ id: 'a', function: { name: 'f', arguments: '{' } }),
      toolDelta({ id: '', function: { name: '', arguments: '}' } }),
      toolDelta({ id: 'b', function: { name: 'g', arguments: { x: 1 } } }),
    );
    expect(calls(events)).toEqual(['0 a f', '0 {', '0 }', '1 b g', '1 {"x":1}']);
  });

  it('calls continue by their index when fragments without a name have another id', () => {
    const events = decode(
      toolDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '' } }),
      toolDelta({ index: 1, id: 'b', function: { name: 'g', arguments: '{"y":' } }),
      toolDelta({ index: 0, id: 'c', function: { arguments: '{"x":' } }),
      toolDelta({ index: 1, id: 'd', function: { arguments: '2}' } }),
      toolDelta({ index: 0, id: 'e', function: { arguments: '1}' } }),
    );
    expect(calls(events)).toEqual(['0 a f', '1 b g', '1 {"y":', '0 {"x":', '1 2}', '0 1}']);
  });

  it('treats calls with the same index and different ids as different calls', () => {
    const events = decode(
      toolDelta({ index: 0, id: 'a', function: { name: 'f', arguments: '{}' } }),
      toolDelta({ index: 0, id: 'b', function: { name: 'f', arguments: '{}' } }),
    );
    expect(calls(events)).toEqual(['0 a f', '0 {}', '1 b f', '1 {}']);
  });

  const bare = (name: string | undefined, text: string): unknown =>
    toolDelta({ index: 0, function: { ...(name !== undefined && { name }), arguments: text } });

  it.each<[string, unknown[], string[]]>([
    ['another name', [bare('f', '{}'), bare('g', '{}')], ['f {}', 'g {}']],
    ['an object behind an object', [bare('f', '{"a":1}'), bare('f', '{"a":2}')], ['f {"a":1}', 'f {"a":2}']],
    ['no name', [bare('f', '{"a":'), bare(undefined, '{}'), bare(undefined, '}')], ['f {"a":{}}']],
    ['the same name', [bare('f', ''), bare('f', '{"a":'), bare('f', '{}'), bare('f', '}')], ['f {"a":{}}']],
    ['an empty name', [bare('f', '{"a":1'), bare('', '}')], ['f {"a":1}']],
  ])('without ids and with one index are split by the name: %s', (_, chunks, expected) => {
    const said = new Map<number, string>();
    for (const event of decode(...chunks)) {
      if (event.type === 'tool-call') said.set(event.index, `${event.name} `);
      if (event.type === 'tool-arguments') said.set(event.index, `${said.get(event.index)}${event.text}`);
    }
    expect([...said.values()]).toEqual(expected);
  });

  it.each([
    ['none', undefined],
    ['one of more than 16,000 characters', 'i'.repeat(16_001)],
  ])('get an id if the vendor sends %s', (_, id) => {
    const events = decode(toolDelta({ index: 0, id, function: { name: 'f', arguments: '{}' } }));
    expect(calls(events)[0]).toBe('0 call_x_0 f');
  });

  it('read in milliseconds, however long their ids are', () => {
    const ids = Array.from({ length: 1_500 }, (_, at) => `${'i'.repeat(16_400)}${10_000 + at}`);
    const message = {
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    };
    const readCpuMs = startCpuTimer();
    const events = decodeResponse(
      { id: 'x', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
      new Set(),
    );
    expect(readCpuMs()).toBeLessThan(100);
    expect(events.filter(({ type }) => type === 'tool-call')).toHaveLength(ids.length);
  });
});

describe('the end of a stream', () => {
  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['model_length', 'length'],
    ['content_filter', 'content-filter'],
    ['eos', 'stop'],
  ])('reads %s as %s', (reason, expected) => {
    expect(decode(delta({}, reason)).at(-1)).toEqual({ type: 'finish', reason: expected });
  });

  it('finishes with tool-calls after tool calls, regardless of the reported reason, except for a truncation', () => {
    const call = { index: 0, id: 'a', function: { name: 'f', arguments: '{}' } };
    expect(decode(toolDelta(call), delta({}, 'stop')).at(-1)).toMatchObject({ reason: 'tool-calls' });
    expect(decode(toolDelta(call), delta({}, 'length')).at(-1)).toMatchObject({ reason: 'length' });
  });

  it('infers the finish event when only [DONE] came', () => {
    expect(decode(delta({ content: 'a' }), '[DONE]').at(-1)).toMatchObject({ type: 'finish', reason: 'stop' });
  });

  it('emits no finish event for a stream that was cut', () => {
    expect(decode(delta({ content: 'a' })).map((event) => event.type)).toEqual(['start', 'text']);
  });

  it('emits the finish event once, after the usage', () => {
    const usage = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };
    const types = decode(delta({}, 'stop'), usage, '[DONE]').map((event) => event.type);
    expect(types).toEqual(['start', 'usage', 'finish']);
  });
});

describe('reasoning', () => {
  it.each([
    [{ reasoning_content: 'a' }],
    [{ reasoning: 'a' }],
    [{ reasoning_details: [{ type: 'reasoning.text', text: 'a' }] }],
    [{ reasoning: 'a', reasoning_details: [{ type: 'reasoning.text', text: 'a' }] }],
    [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }] }],
    [{ content: [{ type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }] }] }],
  ])('is read once from %o', (fields) => {
    expect(decode(delta(fields)).slice(1)).toEqual([{ type: 'reasoning', text: 'a' }]);
  });
});

describe('a Chat response', () => {
  it('reads a refusal', () => {
    const refused = decodeResponse(
      { choices: [{ message: { content: null, refusal: 'no' }, finish_reason: 'stop' }] },
      new Set(),
    );
    expect(refused.slice(1)).toEqual([
      { type: 'refusal', text: 'no' },
      { type: 'finish', reason: 'refusal' },
    ]);
  });

  it('reads several choices, each with its calls and end', () => {
    const call = (name: string): unknown => ({
      tool_calls: [{ index: 0, id: name, function: { name, arguments: '{}' } }],
    });
    const events = decode(
      { choices: [{ index: 1, delta: call('b') }] },
      { choices: [{ index: 0, delta: call('a') }] },
      { choices: [{ index: 1, delta: {}, finish_reason: 'length' }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } },
      '[DONE]',
    );
    expect(events.filter(({ choice }) => choice === 1)).toMatchObject([
      { type: 'tool-call', index: 0, callId: 'b' },
      { type: 'tool-arguments', index: 0 },
      { type: 'finish', reason: 'length' },
    ]);
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['usage', 'finish', 'finish']);
    expect(events.at(-1)).toEqual({ type: 'finish', reason: 'tool-calls' });
  });

  it.each([[-1], [1e9], [0.5], ['0']])('ignores choice %j', (index) => {
    expect(decode({ choices: [{ index, delta: { content: 'a' } }] })).toEqual([]);
  });
});

it('repeats citations beside the choices for each choice, up to ten thousand in all', () => {
  const choices = Array.from({ length: 100 }, (_, index) => ({
    index,
    delta: { content: 'a' },
    finish_reason: 'stop',
  }));
  const citationsOf = (count: number): number => {
    const events = decode(
      { id: 'x', choices, citations: Array.from({ length: count }, () => 'https://a.test') },
      '[DONE]',
    );
    return events.filter(({ type }) => type === 'citation').length;
  };
  expect(citationsOf(3)).toBe(300);
  expect(citationsOf(5_000)).toBe(10_000);
});

it('sends citations that came before their text where each ends, those of one place as they came', () => {
  const note = (title: string, end_index: number) => ({
    type: 'url_citation',
    url_citation: { url: 'https://a.test', title, start_index: 0, end_index },
  });
  const annotations = [note('a', 3), note('b', 1), note('c', 3), note('d', 2), note('e', 9), note('f', 8)];
  const events = decode(delta({ annotations }), ...['x', 'x', 'x'].map((content) => delta({ content })), '[DONE]');
  const seen = events.flatMap((event) =>
    event.type === 'citation' ? [event.citation.title] : event.type === 'text' ? ['|'] : [],
  );
  expect(seen.join('')).toBe('|b|d|acfe');
});
