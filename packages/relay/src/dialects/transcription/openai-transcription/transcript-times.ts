/** Times in a transcript: a recording lasts at least to the last of them. */
import { type JsonObject, listOf, numberOf, objectOf } from '../../../json/json.ts';

const ARROW = '-->';
const TIME_LENGTH_MAX = 20;
/** `01:02:03,456` in SubRip, `02:03.456` in WebVTT. */
const time = /^\s*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{3}))?/;

/** Returns the end of the last subtitle in seconds; undefined for a text without any. */
export function findLastSubtitleEnd(text: string): number | undefined {
  const arrow = text.lastIndexOf(ARROW);
  if (arrow === -1) return undefined;
  const from = arrow + ARROW.length;
  const found = time.exec(text.slice(from, from + TIME_LENGTH_MAX));
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = found
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  return hours * 3_600 + minutes * 60 + seconds + milliseconds / 1_000;
}

/** Returns the end of the last segment or word in seconds; undefined for a response without any. */
export function findLastSegmentEnd({ segments, words }: JsonObject): number | undefined {
  const ends = [segments, words].flatMap((list) => numberOf(objectOf(listOf(list).at(-1))['end']) ?? []);
  return ends.length === 0 ? undefined : Math.max(...ends);
}
