import { expect, test } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { REDACTION, RedactedText } from './redacted-text.ts';

/** Redacts ranges of a text that is read in pieces of the given lengths. */
function redact(text: string, ranges: readonly (readonly [start: number, end: number])[], lengths: readonly number[]) {
  const redacted = new RedactedText();
  for (const [start, end] of ranges) redacted.add(start, end);
  let at = 0;
  return [...lengths, text.length].map((length) => {
    const piece = text.slice(at, at + length);
    at += length;
    return redacted.redactNext(piece);
  });
}

test.each([
  ['nothing', [], [4], ['abcd', 'efgh']],
  ['a range', [[2, 4]], [], ['ab***efgh']],
  ['the whole text', [[0, 8]], [], ['***']],
  [
    'overlapping and adjacent ranges as one',
    [
      [4, 6],
      [1, 3],
      [3, 4],
      [2, 3],
    ],
    [],
    ['a***gh'],
  ],
  ['a range over several pieces in the first one', [[1, 7]], [2, 2, 0, 2], ['a***', '', '', '', 'h']],
  [
    'a range that continues one of the piece before',
    [
      [2, 4],
      [4, 6],
    ],
    [4],
    ['ab***', 'gh'],
  ],
] as const)('redacts %s', (_, ranges, lengths, pieces) => {
  expect(redact('abcdefgh', ranges, lengths)).toEqual(pieces);
});

test('redacts ranges that are added while the text is read', () => {
  const redacted = new RedactedText();
  redacted.add(0, 4);
  expect(redacted.redactNext('bomb, ')).toBe('***, ');
  redacted.add(8, 12);
  expect(redacted.redactNext('a bomb.')).toBe('a ***.');
  // The beginning of this range is already read.
  redacted.add(10, 15);
  expect(redacted.redactNext('bombs')).toBe('***mbs');
});

test('redacts a word in each of 30,000 pieces in milliseconds', () => {
  const redacted = new RedactedText();
  const readCpuMs = startCpuTimer();
  for (let at = 0; at < 30_000 * 5; at += 5) {
    redacted.add(at, at + 4);
    expect(redacted.redactNext('bomb ') === `${REDACTION} `).toBe(true);
  }
  expect(readCpuMs()).toBeLessThan(1_000);
});

test('holds a byte for each character, however many words are redacted', () => {
  const words = 1_000_000;
  const redacted = new RedactedText();
  const before = process.memoryUsage();
  for (let at = 0; at < words; at++) redacted.add(5 * at, 5 * at + 4);
  const after = process.memoryUsage();
  expect(after.heapUsed - before.heapUsed).toBeLessThan(16_000_000);
  expect(redacted.redactNext('bomb '.repeat(words)) === `${REDACTION} `.repeat(words)).toBe(true);
});
