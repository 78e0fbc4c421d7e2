/** What a request may cost is reserved before an upstream hears of it. */
import type { RequestFacts } from '@switchyard/relay';
import { priceEstimate } from '../ledger/ledger.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Principal } from './authenticate.ts';
import type { Candidate } from './choose-channel.ts';
import { estimatedOutputTokens } from './estimated-tokens.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { holdRefusal } from './hold-refusal.ts';
import { ratiosOf } from './ratios.ts';

interface Paying {
  requestId: string;
  principal: Principal;
  request: { facts: RequestFacts };
}

/** @throws RelayError that names the limit which the request does not fit in */
export async function holdFunds(
  parts: GatewayParts,
  call: Paying,
  candidate: Pick<Candidate, 'billedModel' | 'group'>,
): Promise<void> {
  const { key, user } = call.principal;
  const amount = amountToHold(parts, call, candidate);
  const answer = await parts.ledger.hold({
    requestId: call.requestId,
    userId: user.id,
    apiKeyId: key?.id ?? null,
    limited: key?.limited ?? false,
    budgets: key?.budgets,
    amount,
  });
  if (!answer.held) throw holdRefusal(answer, key?.name ?? '', amount, nowSeconds(parts.clock));
}

/** Points: what the request is estimated to cost, at least what the settings ask for; free calls hold nothing. */
function amountToHold(
  { snapshot, settings }: Pick<GatewayParts, 'snapshot' | 'settings'>,
  { principal, request: { facts } }: Pick<Paying, 'principal' | 'request'>,
  { billedModel, group }: Pick<Candidate, 'billedModel' | 'group'>,
): number {
  const estimate = priceEstimate(
    snapshot.priceOf(billedModel),
    ratiosOf(group, principal),
    facts.inputTokensEstimate,
    estimatedOutputTokens(facts),
  );
  return estimate === 0 ? 0 : Math.max(estimate, settings.preConsumedQuota);
}
