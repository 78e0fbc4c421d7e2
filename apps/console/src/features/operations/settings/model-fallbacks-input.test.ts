import { expect, it } from 'vitest';
import { fallbackLines, parseFallbackLines } from './model-fallbacks-input.tsx';

it('parses its own output', () => {
  const fallbacks = { 'gpt-4o': ['gpt-4.1', 'claude-sonnet-4-5'], 'llama3:8b': ['llama3:70b'] };
  expect(parseFallbackLines(fallbackLines(fallbacks))).toEqual({ fallbacks });
});

it('ignores extra spaces and empty lines', () => {
  expect(parseFallbackLines('\n  a :  b ,c,, \n\n')).toEqual({ fallbacks: { a: ['b', 'c'] } });
  expect(parseFallbackLines('')).toEqual({ fallbacks: {} });
});

it('accepts a model that is named like a property of every object', () => {
  expect(parseFallbackLines('__proto__: a')).toEqual({ fallbacks: Object.fromEntries([['__proto__', ['a']]]) });
});

it.each([
  ['a: b\ngpt-4o', 'form', 2],
  ['a:', 'form', 1],
  [': b', 'form', 1],
  ['a: , ,', 'form', 1],
  ['a: b\n\na: c', 'twice', 3],
  ['a: 1,2,3,4,5,6,7,8,9,10,11', 'many', 1],
  [`a: ${'b'.repeat(129)}`, 'long', 1],
])('reports the invalid line of %j', (text, kind, line) => {
  expect(parseFallbackLines(text)).toEqual({ problem: { kind, line } });
});
