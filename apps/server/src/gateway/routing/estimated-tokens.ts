/** Estimates the tokens of a request before its usage is known. */
import type { RequestFacts } from '@switchyard/relay';

/** Assumed output when the client sets no limit. */
const OUTPUT_TOKENS_ASSUMED = 1_000;

export function estimateOutputTokens({ maxOutputTokens, choices }: RequestFacts): number {
  return (maxOutputTokens ?? OUTPUT_TOKENS_ASSUMED) * choices;
}

export function estimateTokens(facts: RequestFacts): number {
  return facts.inputTokensEstimate + estimateOutputTokens(facts);
}
