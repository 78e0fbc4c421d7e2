import { expect, it } from 'vitest';
import { InvalidRequest } from '../model/invalid-request.ts';
import { readEvent } from './plan-event.ts';

it('reads JSON, and nothing else', () => {
  expect(readEvent(Buffer.from('{"type":"x"}'))).toEqual({ type: 'x' });
  for (const text of ['', '{', 'word', '\u0000']) expect(readEvent(Buffer.from(text))).toBeUndefined();
});

it('refuses what would fill the memory, or is nested too deep to be walked', () => {
  for (const text of [`[${'{},'.repeat(200_000)}{}]`, '['.repeat(1_000), `[${'0,'.repeat(1_000_001)}0]`])
    expect(() => readEvent(Buffer.from(text))).toThrow(InvalidRequest);
});

it('reads the largest piece of sound that the API takes', () => {
  expect(readEvent(Buffer.from(`{"audio":"${'A'.repeat(15 * 1024 * 1024)}"}`))).toBeDefined();
});
