import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Tells a request's client address and scheme, believing forwarding headers only from the configured proxies. */
export interface ClientAddress {
  of(request: IncomingMessage): string;
  isSecure(request: IncomingMessage): boolean;
}

export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const networks = trustedProxies.map((entry) =>
    entry.includes('/') ? ipaddr.parseCIDR(entry) : hostNetwork(entry),
  );
  const trusts = (address: string): boolean => {
    if (networks.length === 0 || !ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return networks.some(
      ([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits),
    );
  };
  const peerOf = (request: IncomingMessage): string => plain(request.socket.remoteAddress ?? '');

  return {
    of(request) {
      const peer = peerOf(request);
      if (!trusts(peer)) return peer;
      // The right-most address that is not one of our proxies is the last one that somebody we trust has seen.
      const chain = String(request.headers['x-forwarded-for'] ?? '')
        .split(',')
        .map((part) => part.trim());
      const client = chain.toReversed().find((address) => ipaddr.isValid(address) && !trusts(address));
      return client === undefined ? peer : plain(client);
    },
    isSecure(request) {
      if ('encrypted' in request.socket) return true;
      return trusts(peerOf(request)) && request.headers['x-forwarded-proto'] === 'https';
    },
  };
}

function hostNetwork(address: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const parsed = ipaddr.process(address);
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128];
}

/** `::ffff:127.0.0.1` is `127.0.0.1`. */
function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
