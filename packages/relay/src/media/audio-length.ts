/** Length of an uploaded recording, for calls that are billed by the second and whose response doesn't report it. */
import { sumAacFrames } from './aac-length.ts';
import { measureFlac } from './flac-length.ts';
import { measureAmr, sumMp3Frames } from './mp3-and-amr-length.ts';
import { measureMp4 } from './mp4-length.ts';
import { measureOgg } from './ogg-length.ts';
import { type AudioDuration, resolveLength, SECONDS_MAX, StepBudget, understatesLength } from './recording-usage.ts';
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

const measures: readonly ((file: Buffer, steps: StepBudget) => AudioDuration | undefined)[] = [
  measureWav,
  measureFlac,
  measureOgg,
  measureMp4,
  measureWebm,
  measureAmr,
];

export function measureAudioLength(file: Buffer): AudioLength {
  const { time, frameSeconds } = measureAudio(file, measures);
  if (time !== undefined) return toAudioLength(time);
  const seconds = Math.max(file.length / BYTES_PER_SECOND, ...frameSeconds);
  return { seconds: wholeSeconds(Math.min(seconds, SECONDS_MAX)), isMeasured: false, isContradicted: false };
}

/** @returns `frameSeconds`: seconds of the frames that decoders find among other data, if the format is unknown */
function measureAudio(
  file: Buffer,
  formats: typeof measures,
): { time: AudioDuration | undefined; frameSeconds: readonly number[] } {
  const sound = file.subarray(skipTag(file));
  const steps = new StepBudget(sound.length);
  for (const measure of formats) {
    const time = measure(sound, steps);
    if (time !== undefined && resolveLength(time) <= SECONDS_MAX) return { time, frameSeconds: [] };
  }
  const frameSeconds: number[] = [];
  for (const sum of [sumMp3Frames, sumAacFrames]) {
    const { time, seconds } = sum(sound, steps);
    if (time !== undefined && seconds <= SECONDS_MAX) return { time, frameSeconds: [] };
    frameSeconds.push(seconds);
  }
  return { time: undefined, frameSeconds };
}

/** Bytes of passing audio that are kept to measure it, four seconds of MP3. */
const START_BYTES = 65_536;
/** Without MP4, whose start may state the length of the whole file. */
const passingMeasures = measures.filter((measure) => measure !== measureMp4);

/** Length of passing audio, from its size and the bytes per second of its start. */
export class PassingAudioLength {
  /** Undefined after it was measured. */
  #start: Buffer | undefined = Buffer.allocUnsafeSlow(START_BYTES);
  #bytes = 0;
  #bytesPerSecond: number | undefined;

  /** Seconds so far; undefined for PCM and other audio without a header. */
  get seconds(): number | undefined {
    if (this.#start !== undefined) this.#measureStart(this.#start.subarray(0, this.#bytes));
    return this.#bytesPerSecond && this.#bytes / this.#bytesPerSecond;
  }

  add(chunk: Buffer): void {
    if (this.#start !== undefined && this.#bytes < START_BYTES) chunk.copy(this.#start, this.#bytes);
    this.#bytes += chunk.length;
  }

  #measureStart(start: Buffer): void {
    const { playedSeconds = 0 } = measureAudio(start, passingMeasures).time ?? {};
    this.#bytesPerSecond = playedSeconds > 0 ? start.length / playedSeconds : undefined;
    if (start.length === START_BYTES) this.#start = undefined;
  }
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
