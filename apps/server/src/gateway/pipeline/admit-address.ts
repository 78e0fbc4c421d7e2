import { toNetwork } from '../../platform/limits/rate-limit.ts';
import type { ConcurrencyLimiter, ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { RateLimit } from '../limits/request-rate.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import { type AdmitParts, acquireWithinLimits, admitAndAcquire } from './admit.ts';

/** Parts of the gateway that the functions below need. */
export interface AdmitAddressParts extends AdmitParts {
  concurrencyLimiter: ConcurrencyLimiter;
}

/** A page full of pictures is nothing to it, and neither is a proxy that tells the progress of many drawings. */
const PER_MINUTE = 1_200;
/** A server that follows some hundred tasks stays below it. */
const ENDPOINT_REQUESTS_PER_MINUTE = 6_000;

/**
 * Admits a request without a key: for artifacts that anyone with their address may see, and callbacks of a proxy.
 * @throws RelayError `rate_limit_exceeded`
 */
export async function admitAddress(parts: AdmitAddressParts, address: string): Promise<ConcurrencySlot> {
  const limits = [addressLimit(address, 'address-requests', PER_MINUTE)];
  return (await acquireWithinLimits(parts, { occupies: {}, address, limits })).slot;
}

/**
 * Admits a look-up with a key: by the state of the key, its limits and its owner's, and a limit of its address.
 * @throws RelayError
 */
export async function admitEndpointRequest(
  parts: AdmitAddressParts,
  principal: Principal,
  address: string,
  occupies: Partial<Principal>,
): Promise<ConcurrencySlot> {
  const more = [addressLimit(address, 'address-lookups', ENDPOINT_REQUESTS_PER_MINUTE)];
  return (await admitAndAcquire(parts, principal, address, occupies, more)).slot;
}

function addressLimit(address: string, policy: string, perMinute: number): RateLimit {
  return { name: `${policy}:${toNetwork(address)}`, perMinute, policy, ownerLabel: `the address ${address}` };
}
