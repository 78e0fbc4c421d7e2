import type { Ledger } from '../../ledger/ledger.ts';
import { createHold } from '../billing/estimate-hold.ts';
import { createHoldRefusal } from '../billing/hold-refusal.ts';
import { adjustToChannel } from '../routing/adjust-expected-usage.ts';
import { type FindChannelParts, findChannel, noChannelError } from '../routing/find-channel-or-explain.ts';
import { priceCandidate } from '../routing/price-candidate.ts';
import type { AdmittedCall } from './relayed-call-stages.ts';

export interface CheckFundsParts extends FindChannelParts {
  ledger: Ledger;
}

/**
 * Refuses a request that the account cannot pay for, or that no channel serves, and holds nothing. Requests that cause
 * work before their hold need it: otherwise an account without points could have megabytes written to the database, or
 * checked by the content policy.
 * @throws RelayError
 */
export async function checkFunds(
  parts: CheckFundsParts,
  { principal, request, requestId, groups }: Pick<AdmittedCall, 'principal' | 'request' | 'requestId' | 'groups'>,
): Promise<void> {
  const candidate = findChannel(parts, { request, principal, groups }, []);
  if (candidate === undefined) throw await noChannelError(parts, { request, principal, groups });
  const offered = priceCandidate(parts.snapshot, principal, candidate);
  const hold = createHold(parts, requestId, principal, adjustToChannel(offered, request), offered);
  const short = await parts.ledger.findShortage(hold);
  if (short !== undefined)
    throw createHoldRefusal(parts, short, { key: principal.key, amount: hold.amount, format: request.format });
}
