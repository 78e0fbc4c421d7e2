import { expect, it } from 'vitest';
import { describeType, describeValue } from './describe-value.ts';

it.each([
  ['missing', undefined],
  ['null', null],
  ['1.5', 1.5],
  ['false', false],
  ['12345678901234567890', 12345678901234567890n],
  [String.raw`"a \"b\""`, 'a "b"'],
  [`"${'x'.repeat(80)}…"`, 'x'.repeat(100)],
  ['an array', ['a secret']],
  ['an object', { a: 'a secret' }],
])('describes a value as %s', (description, value) => {
  expect(describeValue(value)).toBe(description);
});

it.each([
  ['null', null],
  ['a string', 'a prompt'],
  ['a number', 7n],
  ['a boolean', true],
  ['an array', []],
  ['an object', {}],
])('describes a type as %s', (description, value) => {
  expect(describeType(value)).toBe(description);
});
