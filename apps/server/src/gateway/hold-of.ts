import type { ClientRequest } from '@switchyard/relay';
import { type Hold, priceCall, priceEstimate } from '../ledger/ledger.ts';
import type { Priced } from './applied-price.ts';
import type { Principal } from './authenticate.ts';
import { estimatedOutputTokens } from './estimated-tokens.ts';
import type { GatewayParts } from './gateway-parts.ts';

/** What to reserve before a channel is asked: what the request may cost, and at least what the settings say. */
export function holdOf(
  { settings }: Pick<GatewayParts, 'settings'>,
  requestId: string,
  principal: Principal,
  { facts }: ClientRequest,
  { price: { rule, ratios } }: Priced,
): Hold {
  const { expected, inputTokensEstimate: input } = facts;
  const estimate =
    expected === undefined
      ? priceEstimate(rule, ratios, input, estimatedOutputTokens(facts))
      : priceCall(rule, ratios, { ...expected.usage, input }).points;
  const { key, user } = principal;
  return {
    requestId,
    userId: user.id,
    apiKeyId: key?.id ?? null,
    limited: key?.limited ?? false,
    budgets: key?.budgets,
    amount: estimate === 0 ? 0 : Math.max(estimate, settings.preConsumedQuota),
  };
}
