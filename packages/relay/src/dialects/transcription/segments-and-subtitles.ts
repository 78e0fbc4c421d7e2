import { type JsonObject, listOf, numberOf, objectOf } from '../../json/json.ts';
import type { SpokenWord, Transcript } from '../../model/neutral-requests.ts';

const WORDS_MAX = 14;
/** Seconds of silence that end a subtitle. */
const SILENCE = 1;
const sentenceEnd = /[.!?。！？…]["'”’)]?$/u;
/** Scripts that separate words without spaces. */
const spaceless = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{P}]/u;
const ARROW = '-->';
const TIME_LENGTH_MAX = 20;
/** Time in SubRip (`01:02:03,456`) or WebVTT (`02:03.456`). */
const time = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{3}))?/;

/** Words that are shown as one subtitle. */
interface Segment {
  start: number;
  end: number;
  text: string;
}

/**
 * Splits a transcript into one segment per sentence, or per part of a long one; a transcript without times is one
 * segment.
 */
export function splitSegments({ text, words, duration }: Transcript): Segment[] {
  if (words.length === 0) return text === '' ? [] : [{ start: 0, end: duration ?? 0, text }];
  const lines: SpokenWord[][] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const last = line?.at(-1);
    const goesOn =
      line !== undefined &&
      last !== undefined &&
      line.length < WORDS_MAX &&
      word.start - last.end < SILENCE &&
      !sentenceEnd.test(last.word);
    if (goesOn) line.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => ({ start: line[0]?.start ?? 0, end: line.at(-1)?.end ?? 0, text: joinWords(line) }));
}

function joinWords(line: readonly SpokenWord[]): string {
  return line.map(({ word }, at) => (at === 0 || spaceless.test(word) ? word : ` ${word}`)).join('');
}

export function writeSubtitles(transcript: Transcript, format: 'srt' | 'vtt'): string {
  const isVtt = format === 'vtt';
  const cues = splitSegments(transcript).map(({ start, end, text }, at) => {
    const times = `${formatTime(start, isVtt)} --> ${formatTime(end, isVtt)}`;
    return `${isVtt ? '' : `${at + 1}\n`}${times}\n${collapseLines(text)}\n`;
  });
  return `${isVtt ? 'WEBVTT\n\n' : ''}${cues.join('\n')}`;
}

function collapseLines(text: string): string {
  const lines = text.split(/\n\s*/).map((line) => line.trimEnd());
  return lines.join(' ');
}

/** Formats a time: `00:01:02.345`, with a comma in SubRip. */
function formatTime(seconds: number, isVtt: boolean): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const whole = `${two(milliseconds / 3_600_000)}:${two((milliseconds / 60_000) % 60)}:${two((milliseconds / 1000) % 60)}`;
  return `${whole}${isVtt ? '.' : ','}${String(milliseconds % 1000).padStart(3, '0')}`;
}

/**
 * Returns the end of the last subtitle in seconds, until which the audio lasts at least; undefined without subtitles.
 */
export function findLastSubtitleEnd(text: string): number | undefined {
  const arrow = text.lastIndexOf(ARROW);
  if (arrow === -1) return undefined;
  const from = arrow + ARROW.length;
  const found = time.exec(text.slice(from, from + TIME_LENGTH_MAX));
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = found.slice(1).map((digits) => Number(digits ?? 0));
  return hours * 3_600 + minutes * 60 + seconds + milliseconds / 1_000;
}

/** Returns the end of the last segment or word in seconds; undefined without any. */
export function findLastSegmentEnd({ segments, words }: JsonObject): number | undefined {
  const ends = [segments, words].flatMap((list) => numberOf(objectOf(listOf(list).at(-1))['end']) ?? []);
  return ends.length === 0 ? undefined : Math.max(...ends);
}
