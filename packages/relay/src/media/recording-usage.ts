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
