import { expect, test } from 'vitest';
import { splitSegments, writeSubtitles } from './openai-transcription.ts';

const words = (...texts: string[]) => texts.map((word, at) => ({ word, start: at * 0.5, end: at * 0.5 + 0.4 }));

test('a line ends with its sentence, with a silence, and when it is long', () => {
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

test('languages without spaces are written without', () => {
  expect(splitSegments({ text: '', words: words('你好', '世界', '。') })[0]?.text).toBe('你好世界。');
});

test('subtitles have the clock of their format', () => {
  const transcript = { text: 'Hi\nthere', duration: 3_723.4567, words: [] };
  expect(writeSubtitles(transcript, 'srt')).toBe('1\n00:00:00,000 --> 01:02:03,457\nHi there\n');
  expect(writeSubtitles(transcript, 'vtt')).toBe('WEBVTT\n\n00:00:00.000 --> 01:02:03.457\nHi there\n');
  expect(writeSubtitles({ text: '', words: [] }, 'vtt')).toBe('WEBVTT\n\n');
});

test('numbers that are no times do not break it', () => {
  const odd = { text: '', words: [{ word: 'x', start: -5, end: 1e300 }] };
  expect(writeSubtitles(odd, 'srt')).toContain('x');
});

test('a line stays one, in time that grows with its length only', () => {
  const text = `One \n\n two${' '.repeat(300_000)}three`;
  const begun = performance.now();
  expect(writeSubtitles({ text, words: [] }, 'vtt')).toContain('\nOne two ');
  expect(performance.now() - begun).toBeLessThan(5_000);
});
