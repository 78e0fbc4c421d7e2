/** Estimated usage of a video. */
import type { RequestFacts } from '../../model/client-request.ts';
import { emptyUsage, type Usage } from '../../model/usage.ts';

const FRAMES_PER_SECOND = 24;
/** No vendor makes a smaller one, whatever it is asked for. */
const PIXELS_MIN = 864 * 480;

/**
 * Returns the usage in seconds, and in tokens for token prices: https://docs.byteplus.com/en/docs/ModelArk/1544106
 * @param variant by which the price of a second may differ: size or resolution, in the vendor's spelling
 */
export function estimateVideoUsage(
  seconds: number,
  variant: string,
  { width, height }: { width: number; height: number },
): Usage {
  const pixels = Math.max(width * height, PIXELS_MIN);
  const output = Math.ceil((pixels * FRAMES_PER_SECOND * seconds) / 1024);
  return { ...emptyUsage(), second: seconds, imageVariant: variant, output };
}

/** @param inputTokensEstimate of the prompt */
export function createVideoFacts(
  usage: Usage,
  inputTokensEstimate: number,
): Pick<RequestFacts, 'hasTools' | 'maxOutputTokens' | 'choices' | 'inputTokensEstimate' | 'expected'> {
  return {
    hasTools: false,
    maxOutputTokens: undefined,
    choices: 1,
    inputTokensEstimate,
    expected: { unit: 'second', usage, isCounted: true },
  };
}
