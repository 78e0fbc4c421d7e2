import type { LookupAddress } from 'node:dns';

/**
 * Resolves a host. The guard checks the addresses at every connection.
 * @param connectMs milliseconds within which the connection must be established
 * @throws Error with a code of getaddrinfo: `ENOTFOUND`, or `EAI_AGAIN` when no name server responded
 */
export type ResolveName = (host: string, connectMs: number) => Promise<LookupAddress[]>;
