import { toNetwork } from '../../platform/limits/rate-limit.ts';
import type { ConcurrencyLimiter, ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import type { RateLimit } from '../limits/request-rate.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { type AdmitParts, acquireWithinLimits, admitAndAcquire } from './admit-request.ts';

export interface AdmitAddressParts extends AdmitParts {
  concurrencyLimiter: ConcurrencyLimiter;
}

/** Suffices for a page full of images, and for a proxy that reports the progress of many tasks. */
const PER_MINUTE = 1_200;
/** Suffices for a server that polls several hundred tasks. */
const ENDPOINT_REQUESTS_PER_MINUTE = 6_000;

/**
 * Admits a request without a key: for artifacts at public addresses, and for a proxy's callbacks.
 * @throws RelayError `rate_limit_exceeded`
 */
export async function admitAddress(parts: AdmitAddressParts, address: string): Promise<ConcurrencySlot> {
  const limits = [addressLimit(address, 'address-requests', PER_MINUTE)];
  return (await acquireWithinLimits(parts, { occupies: {}, address, limits })).slot;
}

/**
 * Admits a query with a key, by the key's state, the limits of key and user, and a limit per address.
 * @throws RelayError
 */
export async function admitEndpointRequest(
  parts: AdmitAddressParts,
  principal: Principal,
  address: string,
  occupies: Partial<Principal>,
): Promise<ConcurrencySlot> {
  const endpointLimits = [addressLimit(address, 'address-lookups', ENDPOINT_REQUESTS_PER_MINUTE)];
  return (await admitAndAcquire(parts, principal, address, occupies, endpointLimits)).slot;
}

function addressLimit(address: string, policy: string, perMinute: number): RateLimit {
  return { name: `${policy}:${toNetwork(address)}`, perMinute, policy, callerLabel: `the address ${address}` };
}
