import { emptyUsage, type Usage } from '../model/usage.ts';

/** OpenAI's billed input tokens per second of audio, and approximate output tokens of its speech. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 4;

/** OpenAI's billed output tokens per second of speech. */
export const SPEECH_TOKENS_PER_SECOND = 20;

/** Returns the expected usage of a recording. */
export function estimateRecordingUsage(second: number): Usage {
  return {
    ...emptyUsage(),
    second,
    audioInput: second * INPUT_TOKENS_PER_SECOND,
    output: second * OUTPUT_TOKENS_PER_SECOND,
  };
}

/** Length of a recording in seconds, from two sources. */
export interface AudioDuration {
  /** Minimum length that decoders play: from frames, samples or the size of the audio. */
  playedSeconds: number;
  /** Length in the header; absent without a plausible one. */
  statedSeconds?: number | undefined;
}

/** Maximum plausible seconds of a header. */
export const SECONDS_MAX = 1_000_000;
/** Tolerated difference: encoders pad the ends, and headers omit the padding. */
const PADDING_SECONDS = 1;

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
