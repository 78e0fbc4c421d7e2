import ipaddr from 'ipaddr.js';

/** Whether this is the machine itself, by what is written: a name of another one stays that, wherever it leads. */
export function isLoopback(host: string): boolean {
  if (!ipaddr.isValid(host)) return host.toLowerCase() === 'localhost';
  return ipaddr.process(host).range() === 'loopback';
}
