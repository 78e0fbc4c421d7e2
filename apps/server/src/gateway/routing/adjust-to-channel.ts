import { adjustExpectedUsage, type ClientRequest, InvalidRequestError } from '@switchyard/relay';
import type { Candidate } from './channel-selector.ts';

/**
 * Returns the request as the channel will serve it, so that the hold and the charge match what its vendor produces.
 * Returns an unsupported request unchanged: the attempt fails before anything is sent, and another channel may
 * support it.
 */
export function adjustToChannel(
  { key, upstreamModel }: Pick<Candidate, 'key' | 'upstreamModel'>,
  request: ClientRequest,
): ClientRequest {
  try {
    return adjustExpectedUsage(request, { ...key.target, model: upstreamModel });
  } catch (error) {
    if (error instanceof InvalidRequestError) return request;
    throw error;
  }
}
