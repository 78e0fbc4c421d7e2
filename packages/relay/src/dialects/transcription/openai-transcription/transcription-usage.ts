import { type JsonObject, listOf, numberOf, objectOf } from '../../../json/json.ts';
import { emptyUsage, markImplausible, Shares, toTokenCount, type Usage } from '../../../model/usage.ts';

/**
 * Reads usage. Newer models report tokens, whisper a duration; Groq and `verbose_json` report the length of the
 * audio.
 * @returns undefined if the response reports none
 */
export function readTranscriptionUsage(answer: JsonObject): Usage | undefined {
  const usage = objectOf(answer['usage']);
  const second = secondsOf(usage['seconds'] ?? answer['duration']);
  const input = toTokenCount(usage['input_tokens']);
  const output = toTokenCount(usage['output_tokens']);
  if (second + input + output === 0) return undefined;
  const parts = new Shares(input);
  const audioInput = parts.take('audioInput', objectOf(usage['input_token_details'])['audio_tokens']);
  return { ...emptyUsage(), second, audioInput, input: parts.rest, output, ...markImplausible(...parts.implausible) };
}

/** Returns whole seconds, rounded up, at least 1. */
function secondsOf(value: unknown): number {
  const seconds = numberOf(value);
  return seconds === undefined || seconds < 0 ? 0 : Math.max(1, toTokenCount(seconds));
}

/** Times in a transcript: the audio lasts at least until the last of them. */

const ARROW = '-->';
const TIME_LENGTH_MAX = 20;
/** Time in SubRip (`01:02:03,456`) or WebVTT (`02:03.456`). */
const time = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{3}))?/;

/** Returns the end of the last subtitle in seconds; undefined without subtitles. */
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
