import { tooLargeError } from './upstream-error.ts';

/** Maximum bytes of a stream event in memory, and of a response without its vectors and base64. */
export const HELD_BYTES_MAX = 64 * 1024 * 1024;
/**
 * Maximum bytes of a non-streaming response that passes through unchanged, if the memory budget allows it: ten images of
 * 3840 × 2160 have 136 MB as base64, and at most 332 MB.
 */
export const PASSED_BYTES_MAX = 384 * 1024 * 1024;
/** Maximum bytes of any other non-streaming response, which the memory budget counts two or three times. */
export const PARSED_BYTES_MAX = 192 * 1024 * 1024;

/**
 * Memory of a response, or event, that is parsed and serialized, as a multiple of its bytes: the received bytes, the
 * text or its values, and the sent bytes.
 */
export const PARSE_FACTOR = 3;
/** The same for a response that is only parsed, and serialized at most in part. */
export const CHANGE_FACTOR = 2;

/** Maximum calls, blocks or items of a response, each of which needs memory until its end. */
export const ITEMS_MAX = 10_000;

/** @param count current number. @throws UpstreamError `garbled` when there are too many */
export function checkItemCount(count: number): void {
  if (count > ITEMS_MAX) throw tooLargeError('The upstream sent a response with too many items.');
}
