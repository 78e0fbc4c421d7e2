import { adjustToTarget, type ClientRequest, InvalidRequestError, type RequestFacts } from '@switchyard/relay';
import type { Candidate } from './channel-selector.ts';

/** Assumed output when the client sets no limit. */
const OUTPUT_TOKENS_ASSUMED = 1_000;

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
    return adjustToTarget(request, { ...key.target, model: upstreamModel });
  } catch (error) {
    if (error instanceof InvalidRequestError) return request;
    throw error;
  }
}

/** Returns the output that the request may get, and the reasoning that its cap does not limit. */
export function estimateOutputTokens({ maxOutputTokens, extraReasoningTokens = 0, choices }: RequestFacts): number {
  return ((maxOutputTokens ?? OUTPUT_TOKENS_ASSUMED) + extraReasoningTokens) * choices;
}

export function estimateTokens(facts: RequestFacts): number {
  return facts.inputTokensEstimate + estimateOutputTokens(facts);
}
