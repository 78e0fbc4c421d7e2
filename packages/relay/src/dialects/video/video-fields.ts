/** Parsers of the video options in client requests. */

import type { RequestFacts } from '../../model/client-request.ts';
import { InvalidRequestError } from '../../model/invalid-request-error.ts';
import type { VideoRequest } from '../../model/task-types.ts';
import { emptyUsage, type Usage } from '../../model/usage.ts';

const plainNumber = /^\d{1,4}(?:\.\d{1,6})?$/;
const sizeText = /^(\d{2,4})x(\d{2,4})$/;

/** Parses a length; returns undefined for a value that is neither a number nor a numeric text. */
export function parseLength(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && plainNumber.test(value) ? Number(value) : undefined;
}

/** Parses a size such as `1280x720`; returns undefined for other values. */
export function parseSize(value: unknown): VideoRequest['size'] {
  const [, width, height] = (typeof value === 'string' ? sizeText.exec(value) : null) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** @throws InvalidRequestError */
export function requireSize(value: unknown): NonNullable<VideoRequest['size']> {
  const size = parseSize(value);
  if (size !== undefined) return size;
  throw new InvalidRequestError('size must be WIDTHxHEIGHT in pixels, such as 1280x720.', 'size');
}

/** Estimated usage of a video. */

const FRAMES_PER_SECOND = 24;
/** Minimum pixels; no vendor generates smaller videos. */
const PIXELS_MIN = 864 * 480;

/**
 * Returns the usage in seconds, and in tokens for token prices: https://docs.byteplus.com/en/docs/ModelArk/1544106
 * @param variant size or resolution, in the vendor's spelling, on which the price per second may depend
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

/** @param inputTokensEstimate estimate for the prompt */
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
