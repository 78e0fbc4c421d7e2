import type { ClientRequest } from '@switchyard/relay';
import { type Hold, priceEstimate } from '../ledger/ledger.ts';
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
  const estimate = priceEstimate(rule, ratios, facts.inputTokensEstimate, estimatedOutputTokens(facts));
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
