import type { Settings } from '@switchyard/contract/operations/settings';
import type { ClientRequest, RequestFacts } from '@switchyard/relay';
import type { LoadedChannel } from '../../channels/registry/registry.ts';
import { type Hold, priceCall, priceEstimate, type Shortage } from '../../ledger/ledger.ts';
import { RelayError } from '../http/relay-error.ts';
import { estimateImageUsage } from '../pipeline/image-tool-models.ts';
import { estimateOutputTokens } from '../routing/adjust-expected-usage.ts';
import type { PricedCandidate } from '../routing/applied-price.ts';
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

/**
 * @param amount points that the request needs
 * @param now UTC seconds
 */
export function createHoldRefusal(
  { short, available, resetsAt }: Shortage,
  keyName: string,
  amount: number,
  now: number,
): RelayError {
  const left = `${Math.max(0, available)} points are left, and this request may need ${amount}.`;
  switch (short) {
    case 'user':
      return new RelayError(
        'insufficient_user_quota',
        `The account's balance is too low: ${left} Top up, or request less output.`,
      );
    case 'alarm':
      return new RelayError(
        'account_blocked',
        'This account is locked: its balance does not match the ledger. An administrator must unlock it.',
      );
    case 'key':
      return new RelayError(
        'insufficient_token_quota',
        `The quota of the token "${keyName}" is too low: ${left} Raise the quota, or request less output.`,
      );
    case 'day':
    case 'week':
    case 'month': {
      const resets = new Date((resetsAt ?? now) * 1000).toISOString();
      const refusal = `The budget of the token "${keyName}" for this ${short} is too low: ${left}`;
      return new RelayError(
        'insufficient_token_quota',
        `${refusal} It resets at ${resets}. Retry then, or raise the budget.`,
      );
    }
  }
}
