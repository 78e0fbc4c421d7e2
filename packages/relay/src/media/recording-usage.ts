import { emptyUsage, type Usage } from '../model/usage.ts';

/** OpenAI's billed input tokens for a second of audio, and roughly the output tokens for its speech. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 4;

/** Returns the usage that a recording of a length lets expect. */
export function estimateRecordingUsage(second: number): Usage {
  return {
    ...emptyUsage(),
    second,
    audioInput: second * INPUT_TOKENS_PER_SECOND,
    output: second * OUTPUT_TOKENS_PER_SECOND,
  };
}

/** Length of a recording in seconds, by two kinds of evidence. */
export interface AudioDuration {
  /** Length that a decoder plays at least: from frames, samples or the size of the sound. */
  playedSeconds: number;
  /** Length that a header states; absent where it states none, or one that no recording has. */
  statedSeconds?: number | undefined;
}

/** A longer recording is a mistake of its header. */
export const SECONDS_MAX = 1_000_000;
/** Encoders pad the ends, and headers leave out what they pad. */
const PADDING_SECONDS = 1;

/** Returns a length that a header states; undefined where it is none. */
export function validateStatedLength(seconds: number): number | undefined {
  return seconds > 0 && seconds <= SECONDS_MAX ? seconds : undefined;
}

/** Returns whether the header states less than is played. */
export function understatesLength({ playedSeconds, statedSeconds }: AudioDuration): boolean {
  return statedSeconds !== undefined && statedSeconds < playedSeconds - PADDING_SECONDS;
}

/** Returns the length as the header states it, unless more is played. */
export function resolveLength(time: AudioDuration): number {
  const { playedSeconds, statedSeconds } = time;
  return statedSeconds === undefined || understatesLength(time) ? playedSeconds : statedSeconds;
}
