import { expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { readEvent } from './plan-event.ts';

it('reads only JSON', () => {
  expect(readEvent(Buffer.from('{"type":"x"}'))).toEqual({ type: 'x' });
  for (const text of ['', '{', 'word', '\u0000']) expect(readEvent(Buffer.from(text))).toBeUndefined();
});

it('refuses a message that would exhaust the memory, or is nested too deeply', () => {
  for (const text of [`[${'{},'.repeat(200_000)}{}]`, '['.repeat(1_000), `[${'0,'.repeat(1_000_001)}0]`])
    expect(() => readEvent(Buffer.from(text))).toThrow(InvalidRequestError);
});

it('reads the largest audio chunk that the API accepts', () => {
  expect(readEvent(Buffer.from(`{"audio":"${'A'.repeat(15 * 1024 * 1024)}"}`))).toBeDefined();
});
