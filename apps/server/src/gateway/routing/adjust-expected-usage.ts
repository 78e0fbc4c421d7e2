import { adjustToTarget, type ClientRequest, InvalidRequestError, type RequestFacts } from '@switchyard/relay';
import type { Candidate } from './channel-selector.ts';

/** Assumed output when the client sets no limit. */
const OUTPUT_TOKENS_ASSUMED = 1_000;
/** Assumed output of every further request without a limit: few responses are longer. */
const LONG_OUTPUT_TOKENS = 32_000;

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

/** Returns whether neither the client nor the channel limits the output. */
export function hasUnlimitedOutput({ facts }: ClientRequest): boolean {
  return facts.maxOutputTokens === undefined && facts.expected === undefined;
}

/**
 * Returns the request with a long output assumed if nothing limits its output. Otherwise an account could run hundreds
 * of such requests at once, each with the usual assumption reserved, and be charged a hundred times its balance.
 */
export function assumeLongOutput(request: ClientRequest): ClientRequest {
  if (!hasUnlimitedOutput(request)) return request;
  return { ...request, facts: { ...request.facts, maxOutputTokens: LONG_OUTPUT_TOKENS } };
}

/** Returns the output that the request may get, and the reasoning that its cap does not limit. */
export function estimateOutputTokens({ maxOutputTokens, extraReasoningTokens = 0, choices }: RequestFacts): number {
  return ((maxOutputTokens ?? OUTPUT_TOKENS_ASSUMED) + extraReasoningTokens) * choices;
}

export function estimateTokens(facts: RequestFacts): number {
  return facts.inputTokensEstimate + estimateOutputTokens(facts);
}
