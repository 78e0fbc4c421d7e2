import { enterWithin } from './admit.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Place } from './places.ts';

/** A page full of pictures is nothing to it, and neither is a proxy that tells the progress of many drawings. */
const PER_MINUTE = 1_200;

/**
 * For what is asked without a key: works that are shown to whoever knows their address, and news of a proxy.
 * @throws RelayError `rate_limit_exceeded`
 */
export async function admitAddress(
  parts: Pick<GatewayParts, 'rate' | 'places'>,
  address: string,
): Promise<Place> {
  const whose = `The address ${address}`;
  const limit = { name: `address:${address}`, perMinute: PER_MINUTE, policy: 'address-requests', whose };
  return (await enterWithin(parts, { occupies: {}, address, limits: [limit] })).place;
}
