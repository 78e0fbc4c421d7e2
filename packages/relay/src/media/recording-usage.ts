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
