import ipaddr from 'ipaddr.js';
import { AppError } from '../http/app-error.ts';

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

interface Site {
  settings: { serverAddress: string };
  config: { publicUrl: string | undefined };
}

const resolvePublicAddress = ({ settings, config }: Site): string => settings.serverAddress || (config.publicUrl ?? '');

/**
 * Returns the site's public address, without a trailing slash, for links in mails. Never taken from a request, whose
 * Host header can be forged.
 * @throws AppError `not-set-up` when the operator has not set it
 */
export function requirePublicAddress(site: Site): string {
  const address = resolvePublicAddress(site);
  if (address === '')
    throw new AppError(
      'not-set-up',
      'The public URL of this site is not set. Set ServerAddress in the settings, or PUBLIC_URL.',
    );
  return address.replace(/\/+$/, '');
}

export function hasPublicAddress(site: Site): boolean {
  return resolvePublicAddress(site) !== '';
}
