import type { Settings } from '@switchyard/contract/operations/settings';
import type { ClientRequest, RequestFacts } from '@switchyard/relay';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import { type Hold, priceCall, priceEstimate } from '../../ledger/ledger.ts';
import { estimateImageUsage } from '../pipeline/other-models.ts';
import type { PricedCandidate } from '../routing/applied-price.ts';
import { estimateOutputTokens } from '../routing/estimated-tokens.ts';
import type { Principal } from '../snapshot/authenticate.ts';

/**
 * Returns the hold for a request before a channel is called: the maximum cost on that channel, and at least the
 * configured minimum. Includes only the share of prompt tokens that the channel is configured to reserve; the charge
 * is unaffected.
 */
export function createHold(
  { settings }: { settings: Pick<Settings, 'preConsumedQuota'> },
  requestId: string,
  principal: Principal,
  request: ClientRequest,
  priced: PricedCandidate,
): Hold {
  const { key, user, batch } = principal;
  const { facts } = request;
  const images = estimateImages(request, principal, priced);
  const input = facts.inputTokensEstimate;
  const whole = estimatePoints(priced, facts, input);
  const heldInput = countHeldPromptTokens(facts, priced.channel.heldPrompt);
  const estimate = heldInput === input ? whole : estimatePoints(priced, facts, heldInput);
  return {
    requestId,
    userId: user.id,
    apiKeyId: key?.id ?? null,
    limited: key?.limited ?? false,
    budgets: key?.budgets,
    isSentAgain: batch !== undefined,
    amount: whole + images === 0 ? 0 : Math.max(estimate + images, settings.preConsumedQuota, 1),
  };
}

function countHeldPromptTokens(
  { inputTokensEstimate, imageTokensEstimate }: RequestFacts,
  held: LoadedChannel['heldPrompt'],
): number {
  if (held === 'nothing') return 0;
  return held === 'all' ? inputTokensEstimate : inputTokensEstimate - imageTokensEstimate;
}

/** Returns the points for the images of a tool that creates them with a separate model. */
function estimateImages(request: ClientRequest, principal: Principal, priced: PricedCandidate): number {
  if (request.facts.imageTool === undefined) return 0;
  const { rule, ratios, ruleOf } = priced.price;
  return priceCall(rule, ratios, estimateImageUsage(request, principal, priced), ruleOf).points;
}

/** Returns points. */
function estimatePoints(
  { price: { rule, ratios } }: Pick<PricedCandidate, 'price'>,
  facts: RequestFacts,
  input: number,
): number {
  return facts.expected === undefined
    ? priceEstimate(rule, ratios, input, estimateOutputTokens(facts))
    : priceCall(rule, ratios, { ...facts.expected.usage, input }).points;
}
