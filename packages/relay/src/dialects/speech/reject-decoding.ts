import { garbledError } from '../../errors/response-errors.ts';

/**
 * Rejects decoding in dialects whose response is the audio itself and passes through unread.
 * @throws UpstreamError `garbled`
 */
export function rejectDecoding(): never {
  throw garbledError('The upstream did not return audio.');
}
