import ipaddr from 'ipaddr.js';

/**
 * Returns whether a host is the machine itself, by its text alone: any other name counts as another machine, wherever
 * it resolves to.
 */
export function isLoopback(host: string): boolean {
  if (!ipaddr.isValid(host)) return host.toLowerCase() === 'localhost';
  return ipaddr.process(host).range() === 'loopback';
}
