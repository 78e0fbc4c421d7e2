import type { ScopeUserId } from '@switchyard/relay';
import type { Vault } from '../../platform/secrets/vault.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';

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
