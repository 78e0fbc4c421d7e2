/**
 * Decides which addresses this server may connect to on behalf of users. Public addresses are allowed; private ones
 * need an entry in OUTBOUND_ALLOW; cloud metadata services are never allowed.
 */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface OutboundGuard {
  /** @throws Error with a sentence that names the refused host */
  checkHost(host: string): void;
  /** Returns whether a connection to this resolved address is allowed for this host. */
  allows(host: string, address: string): boolean;
  /** Returns the error for a host of which no address is allowed. */
  refuse(host: string, addresses?: readonly string[]): AddressNotAllowedError;
}

/** Networks in which clouds serve credentials: all of link-local, and vendor-specific addresses. */
const metadataNetworks = [
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  // Alibaba, Oracle, Azure.
  '100.100.100.200/32',
  '192.0.0.192/32',
  '168.63.129.16/32',
].map((network) => ipaddr.parseCIDR(network));
const metadataHosts = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
]);

/** @param isConfigurable false if `allowed` does not come from OUTBOUND_ALLOW, which the error must not name then */
export function createOutboundGuard(allowed: readonly string[], isConfigurable = true): OutboundGuard {
  const everything = allowed.includes('*');
  const hosts = new Set(allowed.map(normalizeHost));
  const networks = allowed.filter((entry) => entry.includes('/')).map((entry) => ipaddr.parseCIDR(entry));

  const allows = (host: string, address: string): boolean => {
    if (!ipaddr.isValid(address)) return false;
    const name = normalizeHost(host);
    const parsed = ipaddr.process(address);
    if (metadataHosts.has(name) || isMetadata(parsed)) return false;
    if (isPublic(parsed) || everything) return true;
    return hosts.has(name) || hosts.has(parsed.toString()) || networks.some((network) => isInNetwork(parsed, network));
  };

  const refuse: OutboundGuard['refuse'] = (host, addresses = [normalizeHost(host)]) => {
    if (metadataHosts.has(normalizeHost(host)) || addresses.some(isMetadataAddress))
      return new AddressNotAllowedError(`${host} is a metadata service and is never called.`);
    const advice = isConfigurable
      ? 'To allow it, add it to the environment variable OUTBOUND_ALLOW and restart.'
      : 'Only public addresses are called here.';
    return new AddressNotAllowedError(`${host} is not a public address. ${advice}`);
  };

  return {
    allows,
    refuse,
    checkHost(host) {
      const name = normalizeHost(host);
      if (metadataHosts.has(name) || (isIP(name) !== 0 && !allows(name, name))) throw refuse(name);
    },
  };
}

export class AddressNotAllowedError extends Error {
  override readonly name = 'AddressNotAllowedError';
}

type Address = ipaddr.IPv4 | ipaddr.IPv6;

function isInNetwork(address: Address, [network, bits]: [Address, number]): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

/** Normalizes a host: `Host.` with its final dot is the same host, and brackets are removed from an IPv6 address. */
function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/^\[|\.+$|\]$/g, '');
}

function isMetadata(address: Address): boolean {
  return [address, ...listEmbeddedIpv4(address)].some((one) =>
    metadataNetworks.some((network) => isInNetwork(one, network)),
  );
}

const isMetadataAddress = (address: string): boolean => ipaddr.isValid(address) && isMetadata(ipaddr.process(address));

/**
 * Lists the IPv4 addresses that translators may extract from an IPv6 one: at its end, after `2002:`, or inverted
 * (Teredo).
 */
function listEmbeddedIpv4(address: Address): Address[] {
  if (address.kind() === 'ipv4') return [];
  const bytes = address.toByteArray();
  const last = bytes.slice(12);
  return [last, bytes.slice(2, 6), last.map((byte) => 255 - byte)].map((four) => ipaddr.fromByteArray(four));
}

/**
 * Returns whether an address is public. IPv6 is public only inside 2000::/3, which excludes every embedded or special
 * form.
 */
function isPublic(address: Address): boolean {
  if (address.range() !== 'unicast') return false;
  return address.kind() === 'ipv4' || address.match(ipaddr.parse('2000::'), 3);
}
