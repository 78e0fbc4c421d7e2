/** Length of an uploaded recording, for calls that are billed by the second and whose response doesn't report it. */
import { aacFrames } from './aac-length.ts';
import { amrTime } from './amr-length.ts';
import { flacTime } from './flac-length.ts';
import { mp3Frames } from './mp3-length.ts';
import { mp4Time } from './mp4-length.ts';
import { oggTime } from './ogg-length.ts';
import { isContradicted, lengthOf, SECONDS_MAX, type SoundTime } from './sound-time.ts';
import { wavTime } from './wav-length.ts';
import { webmTime } from './webm-length.ts';

export interface SoundLength {
  /** Length in seconds, rounded up; at least 1. */
  seconds: number;
  /** True if the length was read from the file; false if it was estimated by its size. */
  isMeasured: boolean;
  /** True if the file's header states less than a decoder plays. */
  isContradicted: boolean;
}

/** Speech in what cannot be measured has about 64 kbit/s. */
const BYTES_PER_SECOND = 8_000;

const measures: readonly ((file: Buffer) => SoundTime | undefined)[] = [
  wavTime,
  flacTime,
  oggTime,
  mp4Time,
  webmTime,
  amrTime,
];

export function soundLength(file: Buffer): SoundLength {
  const sound = file.subarray(afterTag(file));
  for (const measure of measures) {
    const time = measure(sound);
    if (time !== undefined && lengthOf(time) <= SECONDS_MAX) return measured(time);
  }
  const frames = [mp3Frames(sound), aacFrames(sound)];
  const time = frames.find((sum) => sum.time !== undefined && sum.seconds <= SECONDS_MAX)?.time;
  if (time !== undefined) return measured(time);
  // A decoder plays the frames that it finds among anything else.
  const seconds = Math.max(file.length / BYTES_PER_SECOND, ...frames.map((sum) => sum.seconds));
  return {
    seconds: wholeSeconds(Math.min(seconds, SECONDS_MAX)),
    isMeasured: false,
    isContradicted: false,
  };
}

function measured(time: SoundTime): SoundLength {
  return {
    seconds: wholeSeconds(lengthOf(time)),
    isMeasured: true,
    isContradicted: isContradicted(time),
  };
}

/** Returns the position after an ID3v2 tag, whose size has seven bits in each byte; it may stand before any file. */
function afterTag(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3' || file.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((file[at] ?? 0) & 127), 0);
  return 10 + size;
}

function wholeSeconds(seconds: number): number {
  // A hundredth is what encoders pad, not what is heard.
  return Math.max(1, Math.ceil(seconds - 0.01));
}
