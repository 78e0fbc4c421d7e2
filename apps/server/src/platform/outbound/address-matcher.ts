import ipaddr from 'ipaddr.js';

/**
 * Returns a function that matches these addresses and networks.
 * @throws Error if an entry is neither
 */
export function createAddressMatcher(entries: readonly string[]): (address: string) => boolean {
  const networks = entries.map((entry) => {
    if (entry.includes('/')) return ipaddr.parseCIDR(entry);
    const address = ipaddr.process(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128] as const;
  });
  return (text) => {
    if (!ipaddr.isValid(text)) return false;
    const address = ipaddr.process(text);
    return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  };
}

/**
 * Returns whether a host is the machine itself, by its text alone: any other name counts as another machine, wherever
 * it resolves to.
 */
export function isLoopback(host: string): boolean {
  if (!ipaddr.isValid(host)) return host.toLowerCase() === 'localhost';
  return ipaddr.process(host).range() === 'loopback';
}
