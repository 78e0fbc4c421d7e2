/** Length of an uploaded recording, for calls that are billed by the second and whose response doesn't report it. */
import { aacSeconds } from './aac-length.ts';
import { flacSeconds } from './flac-length.ts';
import { mp3Seconds } from './mp3-length.ts';
import { mp4Seconds } from './mp4-length.ts';
import { oggSeconds } from './ogg-length.ts';
import { wavSeconds } from './wav-length.ts';
import { webmSeconds } from './webm-length.ts';

export interface SoundLength {
  /** Length in seconds, rounded up; at least 1. */
  seconds: number;
  /** True if the length was read from the file; false if it was estimated by its size. */
  isMeasured: boolean;
}

/** Speech in what cannot be measured has about 64 kbit/s. */
const BYTES_PER_SECOND = 8_000;
const SECONDS_MAX = 1_000_000;

const measures: readonly ((file: Buffer) => number | undefined)[] = [
  wavSeconds,
  flacSeconds,
  oggSeconds,
  mp4Seconds,
  webmSeconds,
  mp3Seconds,
  aacSeconds,
];

export function soundLength(file: Buffer): SoundLength {
  for (const measure of measures) {
    const seconds = measure(file);
    if (seconds !== undefined && seconds >= 0 && seconds <= SECONDS_MAX)
      return { seconds: wholeSeconds(seconds), isMeasured: true };
  }
  return { seconds: wholeSeconds(file.length / BYTES_PER_SECOND), isMeasured: false };
}

function wholeSeconds(seconds: number): number {
  // A hundredth is what encoders pad, not what is heard.
  return Math.max(1, Math.ceil(seconds - 0.01));
}
