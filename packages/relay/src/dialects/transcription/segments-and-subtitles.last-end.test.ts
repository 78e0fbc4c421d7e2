import { expect, test } from 'vitest';
import { startCpuTimer } from '../../testing/cpu-timer.ts';
import { findLastSegmentEnd, findLastSubtitleEnd } from './segments-and-subtitles.ts';

test.each<[string, string, number | undefined]>([
  ['SubRip', '1\n00:00:00,000 --> 00:00:02,500\nHi\n\n2\n01:02:03,000 --> 01:02:05,250\nthere\n', 3_725.25],
  ['WebVTT', 'WEBVTT\n\n00:01.000 --> 00:04.000 align:start\nHi\n', 4],
  ['WebVTT with hours', 'WEBVTT\n\n10:00:00.000 --> 10:00:01.500\nHi\n', 36_001.5],
  ['a text', 'Hi there', undefined],
  ['an arrow', 'from --> to', undefined],
  ['an arrow at the end', '-->', undefined],
])('reads the end of the last subtitle in %s', (_, text, seconds) => {
  expect(findLastSubtitleEnd(text)).toBe(seconds);
});

test('reads a megabyte of arrows without delay', () => {
  const readCpuMs = startCpuTimer();
  findLastSubtitleEnd('-->'.repeat(400_000));
  expect(readCpuMs()).toBeLessThan(100);
});

test.each([
  [{ segments: [{ end: 3 }, { end: 8.5 }] }, 8.5],
  [{ segments: [{ end: 3 }], words: [{ end: 3.2 }] }, 3.2],
  [{ segments: [], text: 'Hi' }, undefined],
  [{ segments: [{ end: 'late' }], words: 'none' }, undefined],
])('reads from %j the end of the last segment or word: %s', (answer, seconds) => {
  expect(findLastSegmentEnd(answer)).toBe(seconds);
});
