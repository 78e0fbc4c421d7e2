/**
 * Replaces this machine's resolvers, the C library and DNS, by names with known addresses, and records every address
 * that this process tries to connect to.
 */
import dns, { type LookupAddress } from 'node:dns';
import dnsPromises, { Resolver } from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { isIP, Socket } from 'node:net';
import { vi } from 'vitest';

/** Successive addresses of each name; the last one is repeated. */
const zones = new Map<string, (readonly string[])[]>();

export function setDnsName(name: string, ...answers: (readonly string[])[]): void {
  zones.set(name, answers);
}

/** Replaces Node's look-ups, also for modules that have imported them. @returns a function that restores them */
export function installScriptedDns(): () => void {
  const ofFamily = async (host: string, family: number): Promise<string[]> =>
    resolveScripted(host).flatMap((one) => (one.family === family ? [one.address] : []));
  const queries = [
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation((host: string) => ofFamily(host, 4)),
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation((host: string) => ofFamily(host, 6)),
  ];
  const { lookup } = dns;
  const { lookup: lookupPromise } = dnsPromises;
  const set = (one: unknown, other: unknown): void => {
    Reflect.set(dns, 'lookup', one);
    Reflect.set(dnsPromises, 'lookup', other);
    syncBuiltinESMExports();
  };
  set(
    (host: string, _options: unknown, done: (error: unknown, addresses: LookupAddress[]) => void) => {
      try {
        done(null, resolveScripted(host));
      } catch (error) {
        done(error, []);
      }
    },
    async (host: string) => resolveScripted(host),
  );
  return () => {
    set(lookup, lookupPromise);
    for (const query of queries) query.mockRestore();
  };
}

/** Resolves like the C library: names of this test, numbers in their old forms, `localhost`; no others. */
function resolveScripted(host: string): LookupAddress[] {
  const answers = zones.get(host) ?? zones.get(`${host}.`);
  const addresses =
    (answers !== undefined && answers.length > 1 ? answers.shift() : answers?.[0]) ?? lookUpScripted(host);
  if (addresses.length === 0) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
  return addresses.map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
}

function lookUpScripted(host: string): string[] {
  if (isIP(host) !== 0) return [host];
  if (/^localhost\.?$/i.test(host)) return ['127.0.0.1', '::1'];
  if (!/^[0-9a-fx.]+$/i.test(host) || !URL.canParse(`http://${host}`)) return [];
  const { hostname } = new URL(`http://${host}`);
  return isIP(hostname) === 4 ? [hostname] : [];
}

/** @returns a growing list of `address port` */
export function recordConnections(): string[] {
  const attempts: string[] = [];
  const socket = Socket.prototype;
  const original = Reflect.get(socket, 'connect');
  vi.spyOn(socket, 'connect').mockImplementation(function watched(this: Socket, ...args: unknown[]) {
    this.on('connectionAttempt', (address: string, port: number) => attempts.push(`${address} ${port}`));
    Reflect.apply(original, this, args);
    return this;
  });
  return attempts;
}
