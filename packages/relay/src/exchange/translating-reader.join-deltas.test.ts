import { expect, test } from 'vitest';
import type { ResponseEvent } from '../model/conversation.ts';
import { joinDeltas } from './translating-reader.ts';

test('adjacent deltas of the same text are joined, and all others stay apart', () => {
  const events: ResponseEvent[] = [
    { type: 'start', id: 'i', model: 'm' },
    { type: 'reasoning', text: 'a' },
    { type: 'reasoning', text: 'b' },
    { type: 'text', text: 'c' },
    { type: 'text', text: 'd' },
    { type: 'text', text: 'e', choice: 1 },
    { type: 'text', text: 'f' },
    { type: 'logprobs', tokens: [] },
    { type: 'text', text: 'g' },
    { type: 'refusal', text: 'h' },
    { type: 'tool-arguments', index: 0, text: 'i' },
    { type: 'tool-arguments', index: 0, text: 'j' },
    { type: 'tool-arguments', index: 1, text: 'k' },
  ];
  const before = structuredClone(events);
  expect(joinDeltas(events)).toEqual([
    { type: 'start', id: 'i', model: 'm' },
    { type: 'reasoning', text: 'ab' },
    { type: 'text', text: 'cd' },
    { type: 'text', text: 'e', choice: 1 },
    { type: 'text', text: 'f' },
    { type: 'logprobs', tokens: [] },
    { type: 'text', text: 'g' },
    { type: 'refusal', text: 'h' },
    { type: 'tool-arguments', index: 0, text: 'ij' },
    { type: 'tool-arguments', index: 1, text: 'k' },
  ]);
  expect(events).toEqual(before);
});
