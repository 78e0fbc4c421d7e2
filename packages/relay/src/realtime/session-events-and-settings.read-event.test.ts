import { expect, it } from 'vitest';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import { readClientEvent, readEvent } from './session-events-and-settings.ts';

it('reads only JSON', () => {
  expect(readEvent(Buffer.from('{"type":"x"}'))).toEqual({ type: 'x' });
  for (const text of ['', '{', 'word', '\u0000']) expect(readEvent(Buffer.from(text))).toBeUndefined();
});

it('refuses a message that would exhaust the memory, or is nested too deeply', () => {
  for (const text of [`[${'{},'.repeat(200_000)}{}]`, '['.repeat(1_000), `[${'0,'.repeat(250_001)}0]`])
    expect(() => readEvent(Buffer.from(text))).toThrow(InvalidRequestError);
});

it('reads the largest audio chunk that the API accepts', () => {
  expect(readClientEvent(Buffer.from(`{"audio":"${'A'.repeat(15 * 1024 * 1024)}"}`))).toBeDefined();
});

it.each([
  ['objects', `[${'{},'.repeat(50_000)}{}]`],
  ['keys', `{"a":{${Array.from({ length: 9_000 }, (_, nth) => `"k${nth}":{}`).join()}}}`],
  ['numbers', `[${'1,'.repeat(90_000)}1]`],
])('refuses a client’s event with thousands of %s', (_what, text) => {
  expect(() => readClientEvent(Buffer.from(text))).toThrow('too many values');
  expect(readEvent(Buffer.from(text))).toBeDefined();
});
