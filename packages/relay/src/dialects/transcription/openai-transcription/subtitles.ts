/** Words with their times as lines that can be read while they are heard. */
import type { SpokenWord, Transcript } from '../../../model/surfaces.ts';

interface Segment {
  start: number;
  end: number;
  text: string;
}

const WORDS_MAX = 14;
/** Silence in which a line ends, seconds. */
const SILENCE = 1;
const sentenceEnd = /[.!?。！？…]["'”’)]?$/u;
/** Scripts that separate words without spaces. */
const spaceless = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{P}]/u;

/** One for each sentence, or piece of a long one; all as one where no times are known. */
export function segmentsOf({ text, words, duration }: Transcript): Segment[] {
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
  return lines.map((line) => ({
    start: line[0]?.start ?? 0,
    end: line.at(-1)?.end ?? 0,
    text: joined(line),
  }));
}

function joined(line: readonly SpokenWord[]): string {
  return line.map(({ word }, at) => (at === 0 || spaceless.test(word) ? word : ` ${word}`)).join('');
}

export function writeSubtitles(transcript: Transcript, format: 'srt' | 'vtt'): string {
  const isVtt = format === 'vtt';
  const cues = segmentsOf(transcript).map(({ start, end, text }, at) => {
    const times = `${clock(start, isVtt)} --> ${clock(end, isVtt)}`;
    return `${isVtt ? '' : `${at + 1}\n`}${times}\n${onOneLine(text)}\n`;
  });
  return `${isVtt ? 'WEBVTT\n\n' : ''}${cues.join('\n')}`;
}

function onOneLine(text: string): string {
  const lines = text.split(/\n\s*/).map((line) => line.trimEnd());
  return lines.join(' ');
}

/** `00:01:02.345`, with a comma in SubRip. */
function clock(seconds: number, isVtt: boolean): string {
  const milliseconds = Math.max(0, Math.round(seconds * 1000));
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const whole = `${two(milliseconds / 3_600_000)}:${two((milliseconds / 60_000) % 60)}:${two((milliseconds / 1000) % 60)}`;
  return `${whole}${isVtt ? '.' : ','}${String(milliseconds % 1000).padStart(3, '0')}`;
}
