import { nowSeconds } from '../platform/clock.ts';
import { priced } from './applied-price.ts';
import { asServedBy } from './as-served-by.ts';
import { findChannel } from './find-channel.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { holdOf } from './hold-of.ts';
import { holdRefusal } from './hold-refusal.ts';
import type { IdentifiedCall } from './relayed-call.ts';

/**
 * Refuses a request whose hold would not fit now. For requests that are stored before their hold is taken: without this, an
 * account without points could have the database written, some megabytes a request. Takes no hold.
 * @throws RelayError
 */
export async function refuseUnpayable(
  parts: GatewayParts,
  { principal, request, requestId, caller: { groups } }: IdentifiedCall,
): Promise<void> {
  const candidate = findChannel(parts, { request, principal, groups }, []);
  // The request itself says why there is none.
  if (candidate === undefined) return;
  const offered = priced(parts.snapshot, principal, candidate);
  const hold = holdOf(parts, requestId, principal, asServedBy(offered, request), offered);
  const short = await parts.ledger.shortOf(hold);
  if (short !== undefined)
    throw holdRefusal(short, principal.key?.name ?? '', hold.amount, nowSeconds(parts.clock));
}
