import { adjustExpectedUsage, type ClientRequest, InvalidRequest } from '@switchyard/relay';
import type { Candidate } from './channel-selector.ts';

/**
 * The request as this channel will serve it, so that what is held and charged is what its vendor makes. One that it cannot
 * serve stays as it is: the attempt fails before anything is sent, and another channel may do better.
 */
export function adjustToChannel(
  { key, upstreamModel }: Pick<Candidate, 'key' | 'upstreamModel'>,
  request: ClientRequest,
): ClientRequest {
  try {
    return adjustExpectedUsage(request, { ...key.target, model: upstreamModel });
  } catch (error) {
    if (error instanceof InvalidRequest) return request;
    throw error;
  }
}
