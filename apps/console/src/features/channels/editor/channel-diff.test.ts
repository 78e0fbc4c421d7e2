import { expect, it } from 'vitest';
import { diffLines } from './channel-diff.tsx';

const shown = (before: string, after: string) =>
  diffLines(before.split(''), after.split('')).map(({ sign, line, text }) => `${sign}${line}${text}`);

it('returns the removed and added lines without the unchanged ones', () => {
  expect(shown('abcdef', 'abXdf')).toEqual(['-2c', '+2X', '-4e']);
  expect(shown('abc', 'abc')).toEqual([]);
  expect(shown('', 'ab')).toEqual(['+0a', '+1b']);
  expect(shown('ab', '')).toEqual(['-0a', '-1b']);
});

it('ignores a line that only moved down', () => {
  expect(shown('bcd', 'abcd')).toEqual(['+0a']);
  expect(shown('aaa', 'aa')).toEqual(['-2a']);
});

it('returns the lines that turn one text into the other', () => {
  const texts = ['', 'a', 'ab', 'ba', 'abcabba', 'cbabac', 'aabbcc'];
  for (const before of texts)
    for (const after of texts) {
      const lines = diffLines(before.split(''), after.split(''));
      const gone = new Set(lines.filter(({ sign }) => sign === '-').map(({ line }) => line));
      const came = new Set(lines.filter(({ sign }) => sign === '+').map(({ line }) => line));
      expect(before.split('').filter((_, at) => !gone.has(at))).toEqual(
        after.split('').filter((_, at) => !came.has(at)),
      );
    }
});
