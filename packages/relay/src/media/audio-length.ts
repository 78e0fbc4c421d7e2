/** Length of an uploaded recording, for calls that are billed by the second and whose response doesn't report it. */
import { sumAacFrames } from './aac-length.ts';
import {
  type AudioDuration,
  resolveLength,
  SECONDS_MAX,
  StepBudget,
  understatesLength,
} from './duration-and-step-budget.ts';
import { flacPartSeconds, measureFlac } from './flac-length.ts';
import { measureAmr, sumMp3Frames } from './mp3-and-amr-length.ts';
import { measureMp4 } from './mp4-length.ts';
import { measureOgg, readOggPosition } from './ogg-length.ts';
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

/** @returns `frameSeconds`: seconds of the frames that decoders find in a file that is not of one of the formats */
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
    frameSeconds.push(seconds);
    if (time !== undefined && seconds <= SECONDS_MAX) return { time, frameSeconds };
  }
  return { time: undefined, frameSeconds };
}

/** Bytes of passing audio that are measured at once, four seconds of MP3. */
const PART_BYTES = 65_536;
/** Bytes at the start of a file that show its format and sample rate. */
const HEAD_BYTES = 128;
/** Maximum seconds of a page, by which positions differ from the packets at the end of a part. */
const PAGE_SECONDS_MAX = 2;
/** Maximum seconds of a byte: Opus has packets of up to 120 ms, and at least two bytes for each. */
const SECONDS_PER_BYTE_MAX = 0.06;
/** Without MP4, whose start may state the length of the whole file. */
const passingMeasures = measures.filter((measure) => measure !== measureMp4);

/** First part of passing audio. */
interface AudioStart {
  head: Buffer;
  /** Its length; 0 for PCM and other audio without a header. */
  seconds: number;
  /** True for a sequence of frames without a container. */
  isFramed: boolean;
  /** True if the pages have positions that agree with their packets. */
  isPositioned: boolean;
}

/** Length of passing audio, measured part by part: encoders need fewer bytes for a second of silence. */
export class PassingAudioLength {
  /** The current part, in which each one replaces the preceding one. */
  readonly #part = Buffer.allocUnsafeSlow(PART_BYTES);
  #partBytes = 0;
  /** Seconds of the preceding parts. */
  #seconds = 0;
  /** Undefined before the end of the first part. */
  #start: AudioStart | undefined;

  /** Seconds so far; undefined for PCM and other audio without a header. */
  get seconds(): number | undefined {
    const part = this.#part.subarray(0, this.#partBytes);
    if (this.#start === undefined) return readStart(part).seconds || undefined;
    return this.#start.seconds === 0 ? undefined : secondsAfter(part, this.#seconds, this.#start);
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.#start?.seconds !== 0; ) {
      const copied = chunk.copy(this.#part, this.#partBytes, at);
      at += copied;
      this.#partBytes += copied;
      if (this.#partBytes === PART_BYTES) this.#endPart();
    }
  }

  #endPart(): void {
    const start = this.#start ?? readStart(this.#part);
    this.#seconds = this.#start === undefined ? start.seconds : secondsAfter(this.#part, this.#seconds, start);
    this.#start = start;
    this.#partBytes = 0;
  }
}

function readStart(part: Buffer): AudioStart {
  const { time, frameSeconds } = measureAudio(part, passingMeasures);
  const head = Buffer.from(part.subarray(skipTag(part)).subarray(0, HEAD_BYTES));
  const seconds = time?.playedSeconds ?? 0;
  const position = readOggPosition(head, part) ?? 0;
  const isPositioned = Math.abs(position - seconds) < PAGE_SECONDS_MAX;
  return { head, seconds, isFramed: frameSeconds.length > 0, isPositioned };
}

/** Returns the seconds until the end of a part: by its position in the stream, by its frames, or else by its size. */
function secondsAfter(part: Buffer, before: number, start: AudioStart): number {
  const { head, seconds, isFramed, isPositioned } = start;
  const position = (isPositioned && readOggPosition(head, part)) || 0;
  // A wrong position must not become a charge.
  if (position > before && position < before + part.length * SECONDS_PER_BYTE_MAX) return position;
  const frames = isFramed ? measureAudio(part, []).time?.playedSeconds : flacPartSeconds(head, part);
  return before + (frames || (part.length * seconds) / PART_BYTES);
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
