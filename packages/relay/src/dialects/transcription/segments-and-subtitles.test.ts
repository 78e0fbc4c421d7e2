import { expect, test } from 'vitest';
import { startCpuTimer } from '../../testing/cpu-timer.ts';
import { splitSegments, writeSubtitles } from './segments-and-subtitles.ts';

const words = (...texts: string[]) => texts.map((word, at) => ({ word, start: at * 0.5, end: at * 0.5 + 0.4 }));

test('ends a subtitle after its sentence, after a silence, and if it is long', () => {
  const said = [
    ...words('One.', 'Two'),
    { word: 'three', start: 9, end: 9.5 },
    ...words(...Array.from({ length: 20 }, () => 'x')).map((word) => ({
      ...word,
      start: word.start + 20,
      end: word.end + 20,
    })),
  ];
  const segments = splitSegments({ text: '', words: said });
  expect(segments.map(({ text }) => text.split(' ').length)).toEqual([1, 1, 1, 14, 6]);
  expect(segments[0]).toEqual({ start: 0, end: 0.4, text: 'One.' });
});

test('joins words without spaces in languages without them', () => {
  expect(splitSegments({ text: '', words: words('你好', '世界', '。') })[0]?.text).toBe('你好世界。');
});

test('formats times for each subtitle format', () => {
  const transcript = { text: 'Hi\nthere', duration: 3_723.4567, words: [] };
  expect(writeSubtitles(transcript, 'srt')).toBe('1\n00:00:00,000 --> 01:02:03,457\nHi there\n');
  expect(writeSubtitles(transcript, 'vtt')).toBe('WEBVTT\n\n00:00:00.000 --> 01:02:03.457\nHi there\n');
  expect(writeSubtitles({ text: '', words: [] }, 'vtt')).toBe('WEBVTT\n\n');
});

test('ignores invalid times', () => {
  const odd = { text: '', words: [{ word: 'x', start: -5, end: 1e300 }] };
  expect(writeSubtitles(odd, 'srt')).toContain('x');
});

test('splits a long text in linear time', () => {
  const text = `One \n\n two${' '.repeat(300_000)}three`;
  const readCpuMs = startCpuTimer();
  expect(writeSubtitles({ text, words: [] }, 'vtt')).toContain('\nOne two ');
  expect(readCpuMs()).toBeLessThan(5_000);
});
