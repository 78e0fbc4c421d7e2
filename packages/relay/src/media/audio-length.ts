/** Length of an uploaded recording, for calls that are billed by the second and whose response doesn't report it. */
import { sumAacFrames } from './aac-length.ts';
import { measureFlac } from './flac-length.ts';
import { measureAmr, sumMp3Frames } from './mp3-and-amr-length.ts';
import { measureMp4 } from './mp4-length.ts';
import { measureOgg } from './ogg-length.ts';
import { type AudioDuration, resolveLength, SECONDS_MAX, understatesLength } from './recording-usage.ts';
import { measureWav } from './wav-length.ts';
import { measureWebm } from './webm-length.ts';

export interface AudioLength {
  /** Length in seconds, rounded up; at least 1. */
  seconds: number;
  /** True if the length was read from the file; false if it was estimated by its size. */
  isMeasured: boolean;
  /** True if the file's header states less than decoders play. */
  isContradicted: boolean;
}

/** Bytes per second of speech that cannot be measured, about 64 kbit/s. */
const BYTES_PER_SECOND = 8_000;

const measures: readonly ((file: Buffer) => AudioDuration | undefined)[] = [
  measureWav,
  measureFlac,
  measureOgg,
  measureMp4,
  measureWebm,
  measureAmr,
];

export function measureAudioLength(file: Buffer): AudioLength {
  const sound = file.subarray(skipTag(file));
  for (const measure of measures) {
    const time = measure(sound);
    if (time !== undefined && resolveLength(time) <= SECONDS_MAX) return toAudioLength(time);
  }
  const frames = [sumMp3Frames(sound), sumAacFrames(sound)];
  const time = frames.find((sum) => sum.time !== undefined && sum.seconds <= SECONDS_MAX)?.time;
  if (time !== undefined) return toAudioLength(time);
  // Decoders play the frames that they find among other data.
  const seconds = Math.max(file.length / BYTES_PER_SECOND, ...frames.map((sum) => sum.seconds));
  return { seconds: wholeSeconds(Math.min(seconds, SECONDS_MAX)), isMeasured: false, isContradicted: false };
}

function toAudioLength(time: AudioDuration): AudioLength {
  return { seconds: wholeSeconds(resolveLength(time)), isMeasured: true, isContradicted: understatesLength(time) };
}

/** Returns the position after an ID3v2 tag, which may precede any file and whose size has seven bits per byte. */
function skipTag(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3' || file.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((file[at] ?? 0) & 127), 0);
  return 10 + size;
}

function wholeSeconds(seconds: number): number {
  // A hundredth of a second is the encoder's padding.
  return Math.max(1, Math.ceil(seconds - 0.01));
}
