import {
  adjustToTarget,
  assumePlausibleUsage,
  type ClientRequest,
  InvalidRequestError,
  type RequestFacts,
  readsExternalContent,
} from '@switchyard/relay';
import { isAnyTokenPriced, type PriceRule } from '../../ledger/ledger.ts';
import type { Candidate } from './channel-selector.ts';

/** Assumed output when the client sets no limit. */
const OUTPUT_TOKENS_ASSUMED = 1_000;
/** Assumed output of every further choice and request without a limit: few responses are longer. */
const LONG_OUTPUT_TOKENS = 32_000;
/** Assumed addition to the prompt by a search, or by files at an address: few are longer. */
const LONG_PROMPT_TOKENS = 100_000;

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

/**
 * Returns whether the cost has no limit that the gateway knows: of the output, or of what the vendor adds to the prompt.
 * Instructions make speech longer than its text, and images at an address have any size.
 */
export function hasUnknownCost({ operation, json, facts }: ClientRequest, rule: PriceRule): boolean {
  if (facts.expected === undefined) return facts.maxOutputTokens === undefined || readsExternalContent(json);
  if (rule.type === 'times') return false;
  if (operation === 'speech') return isAnyTokenPriced(rule) || (rule.rates.second ?? 0) > 0;
  return operation === 'images' && isAnyTokenPriced(rule) && readsExternalContent(json);
}

/**
 * Returns the request with a long output and a long addition to the prompt assumed where nothing limits them, and for
 * speech and images with as much as a report may have and still be charged. Otherwise an account could run hundreds of
 * such requests at once, each with the usual assumption reserved, and be charged a hundred times its balance.
 */
export function assumeHighUsage(request: ClientRequest, rule: PriceRule): ClientRequest {
  if (!hasUnknownCost(request, rule)) return request;
  if (request.facts.expected !== undefined) return { ...request, facts: assumePlausibleUsage(request) };
  const { facts, json } = request;
  const added = readsExternalContent(json) ? LONG_PROMPT_TOKENS : 0;
  const { maxOutputTokens = LONG_OUTPUT_TOKENS, inputTokensEstimate } = facts;
  return { ...request, facts: { ...facts, maxOutputTokens, inputTokensEstimate: inputTokensEstimate + added } };
}

/** Returns the output that the request may get, and the reasoning that its cap does not limit. */
export function estimateOutputTokens({ maxOutputTokens, extraReasoningTokens = 0, choices }: RequestFacts): number {
  const first = maxOutputTokens ?? OUTPUT_TOKENS_ASSUMED;
  const further = maxOutputTokens ?? LONG_OUTPUT_TOKENS;
  return first + (choices - 1) * further + choices * extraReasoningTokens;
}

export function estimateTokens(facts: RequestFacts): number {
  return facts.inputTokensEstimate + estimateOutputTokens(facts);
}
