import ipaddr from 'ipaddr.js';

/**
 * Returns a function that returns whether an address is one of these, or in one of these networks.
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
    return networks.some(
      ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
    );
  };
}
