import { describe, expect, it } from 'vitest';
import type { Part, ReasoningPart } from '../../../model/conversation.ts';
import { startCpuTimer } from '../../../testing/cpu-timer.ts';
import { reasoningParts, splitThoughtsAndCalls } from './decode-messages.ts';

const extra = (signature: string): unknown => ({ google: { thought_signature: signature } });
const carried = (value: string): unknown => ({
  type: 'reasoning.text',
  signature: `switchyard.gemini.signature.${value}`,
});
const proof = (value: string): ReasoningPart => ({
  type: 'reasoning',
  text: '',
  signature: { origin: 'gemini', kind: 'signature', value },
});

function call(id: string, extra_content?: unknown): unknown {
  return { id, type: 'function', function: { name: 'f', arguments: '{}' }, extra_content };
}

function partsOf(tool_calls: unknown[], reasoning_details: unknown[] = []): Part[] {
  const message = { tool_calls, reasoning_details };
  const { thoughts, calls } = splitThoughtsAndCalls(message, reasoningParts(message), []);
  return [...thoughts, ...calls];
}

describe('Gemini’s signature of a call', () => {
  const called = (callId: string): unknown => ({ type: 'tool-call', callId });

  it.each([
    ['the call', [extra('p')], []],
    ['the details', [undefined], [carried('p')]],
    ['both', [extra('p')], [carried('p')]],
  ])('in %s is put before the call once', (_place, [content], details) => {
    expect(partsOf([call('a', content)], details)).toMatchObject([proof('p'), called('a')]);
  });

  it('takes little time if many are long and differ only at their ends', () => {
    const sign = (nth: number): unknown => extra(`${'x'.repeat(16_390)}${String(nth).padStart(8, '0')}`);
    const calls = Array.from({ length: 1_500 }, (_, nth) => call(`call-${nth}`, sign(nth)));
    const readMs = startCpuTimer();
    expect(partsOf(calls)).toHaveLength(2 * calls.length);
    expect(readMs()).toBeLessThan(400);
  });

  it('belongs to its own call among several', () => {
    const calls = [call('a', extra('p')), call('b'), call('c', extra('q'))];
    const expected = [proof('p'), called('a'), called('b'), proof('q'), called('c')];
    expect(partsOf(calls, [carried('p'), carried('q')])).toMatchObject(expected);
  });

  it('keeps the signature of an earlier part with that part', () => {
    expect(partsOf([call('a')], [carried('t'), carried('p')])).toMatchObject([proof('t'), proof('p'), called('a')]);
  });
});

describe('signed thoughts', () => {
  const thought = (text: string, value: string): unknown => ({
    type: 'reasoning',
    text,
    signature: { origin: 'openai-chat', kind: 'signature', value },
  });

  it('keep their own texts, and the first gets the remaining text', () => {
    const reasoning_details = [
      { type: 'reasoning.text', signature: 's1' },
      { type: 'reasoning.text', text: 'two', signature: 's2' },
    ];
    expect(reasoningParts({ reasoning_content: 'onetwo', reasoning_details })).toEqual([
      thought('one', 's1'),
      thought('two', 's2'),
    ]);
  });

  it('reads signed thoughts from reasoning_details alone, fragment by fragment, without contradicting fields', () => {
    const reasoning_details = [
      { type: 'reasoning.text', text: 'o' },
      { type: 'reasoning.text', text: 'ne', signature: 's1' },
    ];
    expect(reasoningParts({ reasoning_details })).toEqual([thought('one', 's1')]);
    expect(reasoningParts({ reasoning: 'other', reasoning_details })).toEqual([thought('one', 's1')]);
  });

  it('leave plain thoughts before a signature without text', () => {
    expect(
      reasoningParts({ reasoning: 'hm', reasoning_details: [{ type: 'reasoning.encrypted', data: 'd' }] }),
    ).toMatchObject([{ text: 'hm' }, { text: '', signature: { kind: 'redacted', value: 'd' } }]);
  });
});
