import type { ScopeUserId } from '@switchyard/relay';
import { fillSession, hasSessionPlaceholder } from '../../platform/outbound/proxy-session.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { ChannelState } from '../snapshot/snapshot.ts';

/** Returns the function that creates the ids of a caller's end users. */
export type CreateScopeUserId = (principal: Pick<Principal, 'user'>) => ScopeUserId;

/**
 * Creates one id per user and end user, so that a client can't choose the id of another user, and the vendor can't
 * identify them.
 */
export function createEndUserIds(vault: Pick<Vault, 'fingerprint'>): CreateScopeUserId {
  return ({ user }) =>
    (named) =>
      vault.fingerprint(`end-user ${user.id} ${JSON.stringify(named ?? null)}`);
}

const SESSION_LENGTH = 12;

/** Returns the proxy for a caller's request to a channel; empty for none. */
export type ResolveProxy = (channel: ChannelState, principal: Principal) => string;

/**
 * Creates one proxy session per token and channel, so that a proxy's operator can neither identify clients nor link
 * their requests across channels.
 */
export function createResolveProxy(vault: Pick<Vault, 'fingerprint'>): ResolveProxy {
  return ({ id, proxy }, { user, key }) => {
    if (!hasSessionPlaceholder(proxy)) return proxy;
    const name = vault.fingerprint(`proxy-session ${id} ${user.id} ${key?.id ?? 0}`);
    return fillSession(proxy, Buffer.from(name, 'base64url').toString('hex').slice(0, SESSION_LENGTH));
  };
}
