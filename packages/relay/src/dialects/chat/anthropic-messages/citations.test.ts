import { describe, expect, it } from 'vitest';
import type { Citation } from '../../../model/conversation.ts';
import { startCpuTimer } from '../../../testing/cpu-timer.ts';
import { CitedText } from './citations.ts';

function blocksOf(texts: string[], ...ranges: [number, number][]): unknown[] {
  const content: Record<string, unknown>[] = [];
  const citations = ranges.map(([start, end], index): Citation => ({ url: `u${index}`, start, end }));
  const text = new CitedText(content, citations, new Set());
  for (const piece of texts) text.add(piece);
  text.cite();
  return content.map(({ text, citations }) => [
    text,
    Array.isArray(citations) ? citations.map(({ url }) => url).join() : '',
  ]);
}

describe('the text of a non-streaming response', () => {
  it('writes a text without citations as one block', () => {
    expect(blocksOf(['ab', 'c'])).toEqual([['abc', '']]);
  });

  it('splits the text at citation boundaries, regardless of chunk boundaries', () => {
    expect(blocksOf(['ab', 'cdef'], [1, 3], [4, 5])).toEqual([
      ['a', ''],
      ['bc', 'u0'],
      ['d', ''],
      ['e', 'u1'],
      ['f', ''],
    ]);
  });

  it('has overlapping citations where each ends, and all citations of a range in one block', () => {
    expect(blocksOf(['abcd'], [0, 4], [1, 2], [0, 4])).toEqual([
      ['a', ''],
      ['b', 'u1'],
      ['cd', 'u0,u2'],
    ]);
  });

  it('has citations beyond its end in its last block', () => {
    expect(blocksOf(['ab'], [0, 99])).toEqual([['ab', 'u0']]);
  });

  it('has as many citations as an upstream can send without delay', () => {
    const readCpuMs = startCpuTimer();
    const ranges = Array.from({ length: 100_000 }, (_, index): [number, number] => [index % 997, index]);
    expect(blocksOf(['x'.repeat(100_000)], ...ranges).length).toBeGreaterThan(90_000);
    expect(readCpuMs()).toBeLessThan(5_000);
  });
});
