/**
 * Resolves names that users choose, by DNS alone: the hosts file and the search domains name internal hosts. Occupies
 * no thread, so that unresolvable names do not delay others.
 */

import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { Clock } from '../clock.ts';

export interface PublicResolverOptions {
  /** Name servers as `address:port`, for tests. */
  servers?: readonly string[];
  /** Milliseconds after which a query is repeated; each name server is queried twice. */
  timeoutMs?: number;
}

const TIMEOUT_MS = 2_000;
/** The machine's name servers are read again after this time, because they may have changed. */
const SERVERS_MS = 60_000;
/** https://www.rfc-editor.org/rfc/rfc6761#section-6.3 */
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export function createPublicResolver(
  clock: Pick<Clock, 'elapsed'>,
  { servers, timeoutMs = TIMEOUT_MS }: PublicResolverOptions = {},
): ResolveName {
  let current: { resolver: Resolver; until: number } | undefined;

  const resolverOf = (): Resolver => {
    const now = clock.elapsed();
    if (current !== undefined && now < current.until) return current.resolver;
    const resolver = new Resolver({ timeout: timeoutMs, maxTimeout: timeoutMs, tries: 2 });
    if (servers !== undefined) resolver.setServers(servers);
    current = { resolver, until: now + SERVERS_MS };
    return resolver;
  };

  return async (host) => {
    if (/(?:^|\.)localhost\.?$/i.test(host)) return loopback;
    const resolver = resolverOf();
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = [...toAddresses(four, 4), ...toAddresses(six, 6)];
    if (addresses.length > 0) return addresses;
    throw toLookupError(host, [four, six]);
  };
}

type Answer = PromiseSettledResult<string[]>;

function toAddresses(answer: Answer, family: 4 | 6): LookupAddress[] {
  return answer.status === 'rejected' ? [] : answer.value.map((address) => ({ address, family }));
}

/** Codes for a name that does not exist, has no address or is malformed. */
const noSuchName: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

function toLookupError(host: string, answers: readonly Answer[]): Error {
  const causes = answers.flatMap((answer): unknown[] => (answer.status === 'rejected' ? [answer.reason] : []));
  const isUnknown = causes.every((cause) => cause instanceof Error && 'code' in cause && noSuchName.has(cause.code));
  const code = isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN';
  const message = isUnknown ? `The host ${host} does not exist` : `No name server resolved ${host}`;
  return Object.assign(new Error(message, { cause: causes[0] }), { code });
}

/**
 * Resolves a host. The guard checks the addresses at every connection.
 * @param connectMs milliseconds within which the connection must be established
 * @throws Error with a code of getaddrinfo: `ENOTFOUND`, or `EAI_AGAIN` when no name server responded
 */
export type ResolveName = (host: string, connectMs: number) => Promise<LookupAddress[]>;
