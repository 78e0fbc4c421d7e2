import { fillSession, hasSessionPlaceholder } from '../../platform/outbound/proxy-session.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

const SESSION_LENGTH = 12;

/** Returns the proxy through which a caller's request to a channel goes; empty for none. */
export type ResolveProxy = (channel: ChannelState, principal: Principal) => string;

/**
 * A session for each token of each user, and another one at each channel: whoever runs the proxy can tell neither who it
 * is, nor that two channels serve the same client.
 */
export function createResolveProxy(vault: Pick<Vault, 'fingerprint'>): ResolveProxy {
  return ({ id, proxy }, { user, key }) => {
    if (!hasSessionPlaceholder(proxy)) return proxy;
    const name = vault.fingerprint(`proxy-session ${id} ${user.id} ${key?.id ?? 0}`);
    return fillSession(proxy, Buffer.from(name, 'base64url').toString('hex').slice(0, SESSION_LENGTH));
  };
}
