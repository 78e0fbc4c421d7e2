/** Whether a request may run at all, before anything is reserved or sent. Every refusal names what refused it. */
import type { ClientRequest } from '@switchyard/relay';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Principal } from './authenticate.ts';
import { RelayError } from './relay-error.ts';
import type { RequestRate } from './request-rate.ts';
import type { GroupState, Snapshot } from './snapshot.ts';

export interface Admission {
  /** Groups to look for channels in, in this order; the one that serves sets the price. */
  groups: readonly GroupState[];
}

/** @throws RelayError */
export function admit(
  { snapshot, rate, clock }: { snapshot: Snapshot; rate: RequestRate; clock: Clock },
  { user, key }: Principal,
  request: ClientRequest,
  address: string,
): Admission {
  if (key !== undefined) {
    if (!key.enabled) throw new RelayError('api_key_disabled', `The token "${key.name}" is disabled.`);
    if (key.expiredTime !== -1 && key.expiredTime <= nowSeconds(clock))
      throw new RelayError('api_key_expired', `The token "${key.name}" has expired.`);
    if (key.allowsAddress?.(address) === false)
      throw new RelayError('address_not_allowed', `The token "${key.name}" may not be used from ${address}.`);
    const { model } = request.facts;
    if (key.models?.has(model) === false)
      throw new RelayError('model_not_allowed', `The token "${key.name}" may not use the model ${model}.`, {
        param: 'model',
      });
  }
  const groups = usableGroups(snapshot, { user, key });
  if (groups.length === 0)
    throw new RelayError('group_not_allowed', `The group ${key?.group || user.group} is not available.`);
  rate.take(`user:${user.id}`, snapshot.group(user.group)?.apiRate ?? 0, 'Your group');
  if (key !== undefined) rate.take(`key:${key.id}`, key.apiRate, `The token "${key.name}"`);
  return { groups };
}

/**
 * The groups that a key names, in the order in which they serve, as far as its owner may still use them: somebody
 * who was moved out of a group does not stay in it by an old token.
 */
export function usableGroups(
  snapshot: Snapshot,
  { user, key }: Pick<Principal, 'user' | 'key'>,
): readonly GroupState[] {
  const chosen = key === undefined || key.group === '' ? user.group : key.group;
  return [...new Set([chosen, key?.backupGroup ?? ''])].flatMap((symbol) => {
    const group = snapshot.group(symbol);
    return group?.enabled === true && (group.public || symbol === user.group) ? [group] : [];
  });
}
