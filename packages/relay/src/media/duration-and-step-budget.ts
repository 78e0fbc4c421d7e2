/** Length of a recording in seconds, from two sources. */
export interface AudioDuration {
  /** Minimum length that decoders play: from frames, samples or the size of the audio. */
  playedSeconds: number;
  /** Length in the header; absent without a plausible one. */
  statedSeconds?: number | undefined;
}

/** Maximum plausible seconds of a header. */
export const SECONDS_MAX = 1_000_000;
/** Minimum bytes per second of intelligible speech in any codec. */
export const BYTES_PER_SECOND_MIN = 1_000;
/**
 * Steps of reading a recording, each about 30 ns of work: eight hours of Opus have 1,440,000 packets. Nothing else runs
 * meanwhile, so that a crafted file would make all other requests wait.
 */
const STEPS_MIN = 1_500_000;
/** An operator who allows larger files gets a step for so many bytes. */
const BYTES_PER_STEP = 32;
/** Tolerated difference: encoders pad the ends, and headers omit the padding. */
const PADDING_SECONDS = 1;

/** Returns the seconds of the audio packet at a position. @param end position after the packet */
export type PacketLength = (file: Buffer, at: number, end: number) => number;

/** Budget of steps that all readers of one recording share. */
export class StepBudget {
  #left: number;

  /** @param bytes size of the recording */
  constructor(bytes: number) {
    this.#left = Math.max(STEPS_MIN, bytes / BYTES_PER_STEP);
  }

  /** True if a part of the recording was not read. */
  get isExhausted(): boolean {
    return this.#left < 0;
  }

  /** Takes steps; returns false if there are fewer. */
  take(steps: number): boolean {
    this.#left -= steps;
    return this.#left >= 0;
  }
}

/**
 * Returns the length of a recording whose end was not read. The rest is taken to be like the part before, and to be
 * slow speech at least: a crafted file may start with millions of short packets.
 */
export function extrapolateSeconds(seconds: number, readBytes: number, bytes: number): number {
  const rest = Math.max(0, bytes - readBytes);
  return seconds + Math.max((seconds / Math.max(readBytes, 1)) * rest, rest / BYTES_PER_SECOND_MIN);
}

/** Returns a stated length; undefined for an implausible one. */
export function validateStatedLength(seconds: number): number | undefined {
  return seconds > 0 && seconds <= SECONDS_MAX ? seconds : undefined;
}

/** Returns whether the header states less than is played. */
export function understatesLength({ playedSeconds, statedSeconds }: AudioDuration): boolean {
  return statedSeconds !== undefined && statedSeconds < playedSeconds - PADDING_SECONDS;
}

/** Returns the stated length, unless decoders play more. */
export function resolveLength(time: AudioDuration): number {
  const { playedSeconds, statedSeconds } = time;
  return statedSeconds === undefined || understatesLength(time) ? playedSeconds : statedSeconds;
}
