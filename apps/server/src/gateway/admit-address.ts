import type { GatewayParts } from './gateway-parts.ts';
import type { Place } from './places.ts';

/** A page full of pictures is nothing to it, and neither is a proxy that tells the progress of many drawings. */
const PER_MINUTE = 1_200;

/**
 * For what is asked without a key: works that are shown to whoever knows their address, and news of a proxy.
 * @throws RelayError `rate_limit_exceeded`
 */
export function admitAddress(
  { rate, places }: Pick<GatewayParts, 'rate' | 'places'>,
  address: string,
): Place {
  const whose = `The address ${address}`;
  rate.take([{ name: `address:${address}`, perMinute: PER_MINUTE, policy: 'address-requests', whose }]);
  return places.enter({}, address);
}
