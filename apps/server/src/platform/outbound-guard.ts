/**
 * Decides which addresses this server may connect to on somebody's behalf. Public addresses are allowed; those
 * inside need a line in OUTBOUND_ALLOW; cloud metadata services are never allowed.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface OutboundGuard {
  /** @throws Error with a sentence that names the host when it may not be called */
  checkHost(host: string): void;
  /** Whether a connection to this resolved address may be made for this host. */
  allows(host: string, address: string): boolean;
}

const metadataAddresses = new Set(['169.254.169.254', '169.254.170.2', '100.100.100.200', 'fd00:ec2::254']);
const metadataHosts = new Set(['metadata.google.internal', 'metadata']);

export function createOutboundGuard(allowed: readonly string[]): OutboundGuard {
  const everything = allowed.includes('*');
  const hosts = new Set(allowed.map((entry) => entry.toLowerCase()));
  const networks = allowed.filter((entry) => entry.includes('/')).map((entry) => ipaddr.parseCIDR(entry));

  const allows = (host: string, address: string): boolean => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    if (metadataAddresses.has(parsed.toString()) || metadataHosts.has(host.toLowerCase())) return false;
    if (isPublic(parsed) || everything) return true;
    return (
      hosts.has(host.toLowerCase()) ||
      hosts.has(parsed.toString()) ||
      networks.some((network) => matches(parsed, network))
    );
  };

  return {
    allows,
    checkHost(host) {
      const bare = host.replace(/^\[|\]$/g, '');
      if (metadataHosts.has(bare.toLowerCase()) || (isIP(bare) !== 0 && !allows(bare, bare)))
        throw new OutboundRefused(bare);
    },
  };
}

export class OutboundRefused extends Error {
  constructor(host: string) {
    super(`${host} is not a public address; the operator can allow it with OUTBOUND_ALLOW`);
    this.name = 'OutboundRefused';
  }
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function matches(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** IPv6 is public only inside 2000::/3, which leaves out every embedded or special form. */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(ipaddr.parse('2000::'), 3);
}
