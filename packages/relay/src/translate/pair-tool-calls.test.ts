import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { Part, ToolCallPart, ToolResultPart, Turn } from '../model/conversation.ts';
import type { DialectId } from '../model/dialect-id.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { geminiRequest, responsesOnly, sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import { pairCallsWithResults } from './pair-tool-calls.ts';

const call = (callId: string, name = 'f'): ToolCallPart => ({ type: 'tool-call', callId, name, arguments: '{}' });
const result = (callId: string, text = 'ok'): ToolResultPart => ({
  type: 'tool-result',
  callId,
  content: [{ type: 'text', text }],
});
const words = (text: string): Part => ({ type: 'text', text });
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });

/** `f#1` is a call, `#1=ok` its result; a turn begins with its role. */
function told(turns: readonly Turn[]): string[] {
  return turns.map(({ role, parts }) => [role, ...parts.map(toldPart)].join(' '));
}

function toldPart(part: Part): string {
  if (part.type === 'tool-call') return `${part.name}#${part.callId}`;
  if (part.type === 'tool-result') {
    const text = part.content.map((piece) => (piece.type === 'text' ? piece.text : piece.type)).join('+');
    return `#${part.callId}=${part.isError === true ? '!' : ''}${text}`;
  }
  return part.type === 'text' ? `"${part.text}"` : part.type;
}

const missing = '!The result of this call was not recorded.';

describe('calls and their results', () => {
  it('leaves calls and results unchanged if each result follows its call', () => {
    const turns = [user(words('a')), assistant(call('1'), call('2')), user(result('1'), result('2'), words('b'))];
    expect(pairCallsWithResults(turns)).toEqual(turns);
  });

  it('pairs calls with results that are late, out of order, or scattered over turns', () => {
    const turns = [
      assistant(call('1'), call('2')),
      user(words('wait')),
      user(result('2', 'two')),
      assistant(words('well')),
      { role: 'system' as const, parts: [words('note')] },
      user(words('so?'), result('1', 'one')),
    ];
    expect(told(pairCallsWithResults(turns))).toEqual([
      'assistant f#1 f#2',
      'user #1=one #2=two "wait"',
      'assistant "well"',
      'system "note"',
      'user "so?"',
    ]);
  });

  it('have nothing in between, not even instructions', () => {
    const turns = [assistant(call('1')), { role: 'system' as const, parts: [words('n')] }, user(result('1'))];
    expect(told(pairCallsWithResults(turns))).toEqual(['assistant f#1', 'user #1=ok', 'system "n"']);
  });

  it('merge over several turns unless results separate them', () => {
    const parallel = [assistant(call('1')), assistant(call('2')), user(result('1')), user(result('2'))];
    expect(told(pairCallsWithResults(parallel))).toEqual(['assistant f#1 f#2', 'user #1=ok #2=ok']);
    const loop = [assistant(call('1')), user(result('1')), assistant(call('2')), user(result('2'))];
    expect(pairCallsWithResults(loop)).toEqual(loop);
  });

  it('include a placeholder for a missing result', () => {
    expect(told(pairCallsWithResults([assistant(call('1')), user(words('go on'))]))).toEqual([
      'assistant f#1',
      `user #1=${missing} "go on"`,
    ]);
    expect(told(pairCallsWithResults([assistant(call('1'))]))).toEqual(['assistant f#1', `user #1=${missing}`]);
  });

  it('include a result without a call as text in its place', () => {
    const failed = { ...result('8', 'no'), isError: true };
    expect(
      told(pairCallsWithResults([user(result('9', 'sun'), words('a')), assistant(words('b')), user(failed)])),
    ).toEqual(['user "A tool’s result:" "sun" "a"', 'assistant "b"', 'user "A tool failed:" "no"']);
  });

  it('merge several results of one call; a later update stays in place', () => {
    const turns = [
      assistant(call('1')),
      user(result('1', 'half')),
      user({ ...result('1', 'rest'), isError: true }),
      assistant(words('hm')),
      user(result('1', 'news')),
    ];
    expect(told(pairCallsWithResults(turns))).toEqual([
      'assistant f#1',
      'user #1=!half+rest',
      'assistant "hm"',
      'user "A tool’s result:" "news"',
    ]);
  });

  it('distinguishes calls with equal or empty ids', () => {
    const turns = [
      assistant(call('1'), call('1'), call('', 'g')),
      user(result('1', 'a'), result('1', 'b'), result('', 'c')),
      assistant(call('1'), call('')),
      user(result('', 'd'), result('1', 'e')),
      assistant(call('1')),
      user(result('1', 'f')),
    ];
    expect(told(pairCallsWithResults(turns))).toEqual([
      'assistant f#1 f#1_2 g#call_0',
      'user #1=a #1_2=b #call_0=c',
      'assistant f#1_3 f#call_1',
      'user #1_3=e #call_1=d',
      'assistant f#1_4',
      'user #1_4=f',
    ]);
  });

  it('matches results by the tool’s name if a client sends it instead of the id', () => {
    const turns = [assistant(call('1', 'f'), call('2', 'g')), user(result('g', 'two'), result('f', 'one'))];
    expect(told(pairCallsWithResults(turns))).toEqual(['assistant f#1 g#2', 'user #1=one #2=two']);
  });

  it('matches results in order if a client sends one name for several calls', () => {
    const turns = [assistant(call('1'), call('2')), user(result('f', 'one')), user(result('f', 'two'))];
    expect(told(pairCallsWithResults(turns))).toEqual(['assistant f#1 f#2', 'user #1=one #2=two']);
  });

  it('leave an empty turn for the user, who still asks, if a late result moves away', () => {
    const turns = [assistant(call('1')), user(words('wait')), assistant(words('well')), user(result('1'))];
    expect(told(pairCallsWithResults(turns))).toEqual([
      'assistant f#1',
      'user #1=ok "wait"',
      'assistant "well"',
      'user',
    ]);
  });

  it('get valid ids, the same each time', () => {
    const long = 'x'.repeat(80);
    const turns = [assistant(call('a.b'), call('a:b'), call(long), call(`${long}y`))];
    const once = pairCallsWithResults(turns, { forbidden: /[^a-z0-9_]/g, maxLength: 40 });
    const ids = once[0]?.parts.map((part) => (part.type === 'tool-call' ? part.callId : ''));
    expect(ids).toEqual(['a_b', 'a_b_2', expect.stringMatching(/^call_[0-9a-f]{24}$/), expect.any(String)]);
    expect(new Set(ids).size).toBe(4);
    expect(pairCallsWithResults(turns, { forbidden: /[^a-z0-9_]/g, maxLength: 40 })).toEqual(once);
  });

  it('move nothing else, and neither lose nor repeat content', () => {
    const id = fc.constantFrom('', 'a', 'b', 'f', 'g');
    const part = fc.oneof(
      fc.record({ kind: fc.constant('call'), id, name: fc.constantFrom('f', 'g') }),
      fc.record({ kind: fc.constantFrom('result', 'result', 'words'), id, name: fc.constant('') }),
    );
    const history = fc.array(fc.record({ parts: fc.array(part, { maxLength: 4 }), isUser: fc.boolean() }), {
      maxLength: 8,
    });
    const property = fc.property(history, (drawn) => {
      let count = 0;
      const turns = drawn.map(({ parts, isUser }): Turn => {
        const made = parts.map(({ kind, id, name }): Part => {
          if (kind === 'call' && !isUser) return call(id, name);
          return kind === 'result' && isUser ? result(id, `r${count++}.`) : words(`w${count++}.`);
        });
        return isUser ? user(...made) : assistant(...made);
      });
      const before = told(turns).join(' ');
      const after = told(pairCallsWithResults(turns)).join(' ');
      const found = (text: string, kind: RegExp): string[] => text.match(kind) ?? [];
      expect(found(after, /w\d+\./g)).toEqual(found(before, /w\d+\./g));
      expect(found(after, /r\d+\./g).toSorted()).toEqual(found(before, /r\d+\./g).toSorted());
      expect(found(after, / [fg](?=#)/g)).toEqual(found(before, / [fg](?=#)/g));
    });
    fc.assert(property, { numRuns: 1_000 });
  });

  it('take linear time, however similar they are', () => {
    const many = 50_000;
    const readCpuMs = startCpuTimer();
    const turns = pairCallsWithResults([
      assistant(...Array.from({ length: many }, () => call('1'))),
      user(...Array.from({ length: 2 * many }, () => result('1'))),
    ]);
    expect(turns[1]?.parts).toHaveLength(many);
    expect(readCpuMs()).toBeLessThan(2_000);
  });
});

/** A history in random order of calls and results with their ids. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('call', 'call', 'result', 'result', 'user', 'assistant', 'system'),
    id: fc.constantFrom('', ' ', 'a', 'b', 'a.b', 'c'.repeat(90)),
    name: fc.constantFrom('f', 'g', 'x.y'),
  }),
  { maxLength: 12 },
);
type Step = { kind: string; id: string; name: string };

const silence: Step = { kind: 'user', id: '', name: '' };

function asked(format: DialectId, history: readonly Step[]) {
  if (format === 'openai-responses') return sampleRequest(format, { input: history.map(asItem) });
  if (format === 'gemini') return geminiRequest({ contents: [...history, silence].map(asContent) });
  const message = format === 'openai-chat' ? asChatMessage : asMessage;
  return sampleRequest(format, { messages: [...history, silence].map(message) });
}

function asItem({ kind, id, name }: Step): JsonObject {
  if (kind === 'call') return { type: 'function_call', call_id: id, name, arguments: '{}' };
  if (kind === 'result') return { type: 'function_call_output', call_id: id, output: 'r' };
  return { role: kind, content: id };
}

function asContent({ kind, id, name }: Step): JsonObject {
  if (kind === 'call') return { role: 'model', parts: [{ functionCall: { id, name, args: {} } }] };
  if (kind === 'result')
    return { role: 'user', parts: [{ functionResponse: { id, name, response: { output: 'r' } } }] };
  return { role: kind === 'assistant' ? 'model' : 'user', parts: [{ text: id }] };
}

function asChatMessage({ kind, id, name }: Step): JsonObject {
  if (kind === 'call')
    return { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }] };
  if (kind === 'result') return { role: 'tool', tool_call_id: id, content: 'r' };
  return { role: kind, content: id };
}

function asMessage({ kind, id, name }: Step): JsonObject {
  if (kind === 'call') return { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] };
  if (kind === 'result') return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] };
  return { role: kind === 'assistant' ? 'assistant' : 'user', content: [{ type: 'text', text: id }] };
}

function expectAnthropicTakes(messages: JsonObject[]): void {
  const ids = new Set<unknown>();
  let open: unknown[] = [];
  expect(messages[0]?.['role']).toBe('user');
  for (const { role, content } of messages) {
    const blocks = listOf(content).map(objectOf);
    expect(blocks.length).toBeGreaterThan(0);
    for (const block of blocks) if (block['type'] === 'text') expect(String(block['text']).trim()).not.toBe('');
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => block['tool_use_id']);
    expect(results).toEqual(open);
    open = role === 'assistant' ? blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id) : [];
    for (const id of open) {
      expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
      expect(ids).not.toContain(id);
      ids.add(id);
    }
  }
  expect(open).toEqual([]);
}

function expectChatTakes(messages: JsonObject[]): void {
  let open: unknown[] = [];
  expect(messages.length).toBeGreaterThan(0);
  for (const message of messages) {
    if (message['role'] === 'tool') {
      expect(message['tool_call_id']).toBe(open.shift());
      continue;
    }
    expect(open).toEqual([]);
    open = listOf(message['tool_calls']).map((value) => objectOf(value)['id']);
    for (const id of open) expect(String(id)).toMatch(/^.{1,40}$/);
    if (message['role'] === 'assistant' && open.length === 0) expect(message['content']).not.toBeNull();
  }
  expect(open).toEqual([]);
}

function expectResponsesTakes(items: JsonObject[]): void {
  const ids = (type: string): unknown[] => items.filter((item) => item['type'] === type).map((item) => item['call_id']);
  expect(items.length).toBeGreaterThan(0);
  expect(ids('function_call_output')).toEqual(ids('function_call'));
  expect(new Set(ids('function_call')).size).toBe(ids('function_call').length);
}

function expectGeminiTakes(contents: JsonObject[]): void {
  let open: unknown[] = [];
  for (const { role, parts } of contents) {
    const list = listOf(parts).map(objectOf);
    const of = (kind: string): unknown[] =>
      list.flatMap((part) => (part[kind] === undefined ? [] : [objectOf(part[kind])['name']]));
    expect(list.length).toBeGreaterThan(0);
    expect(of('functionResponse')).toEqual(open);
    if (open.length > 0) expect(list.length).toBe(open.length);
    open = role === 'model' ? of('functionCall') : [];
  }
  expect(contents.at(-1)?.['role']).toBe('user');
}

const formats = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'] as const;
const vendors = {
  'anthropic-messages': { target: sampleTarget('anthropic'), field: 'messages', expectTaken: expectAnthropicTakes },
  'openai-chat': { target: sampleTarget('custom'), field: 'messages', expectTaken: expectChatTakes },
  'openai-responses': { target: responsesOnly(), field: 'input', expectTaken: expectResponsesTakes },
  gemini: { target: sampleTarget('gemini'), field: 'contents', expectTaken: expectGeminiTakes },
};
const pairs = formats.flatMap((client) => formats.map((upstream) => ({ client, upstream })));

describe('any history of a client', () => {
  it.each(pairs.filter(({ client, upstream }) => client !== upstream))(
    'is valid after translation from $client to $upstream',
    ({ client, upstream }) => {
      const { target, field, expectTaken } = vendors[upstream];
      const property = fc.property(steps, (history) => {
        const { body } = planExchange(asked(client, history), target);
        expectTaken(listOf(objectOf(JSON.parse(body.toString()))[field]).map(objectOf));
      });
      fc.assert(property);
    },
  );
});
