/** Whether a request may run at all, before anything is reserved or sent. Every refusal names what refused it. */
import type { ClientRequest } from '@switchyard/relay';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Principal } from './authenticate.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import type { Standing } from './limit-standing.ts';
import { RelayError } from './relay-error.ts';
import type { RequestRate } from './request-rate.ts';
import type { GroupState, KeyState, Snapshot } from './snapshot.ts';
import type { TokenCharge, TokenRate } from './token-rate.ts';
import type { UnreadRequests } from './unread-requests.ts';

/** What a request that may run goes on with. */
export interface Admission {
  /** Groups to look for channels in, in this order; the one that serves sets the price. */
  groups: readonly GroupState[];
  /** Of every limit that applied. */
  standings: readonly Standing[];
  /** Undefined where no limit counts tokens. */
  tokenCharge: TokenCharge | undefined;
}

type Caller = Pick<Principal, 'user' | 'key'>;

interface Parts {
  snapshot: Snapshot;
  rate: RequestRate;
  tokenRate: TokenRate;
  unread: UnreadRequests;
  clock: Clock;
}

/** @throws RelayError */
export function admit(
  parts: Parts,
  { user, key }: Principal,
  request: ClientRequest,
  address: string,
): Admission {
  const { snapshot, unread } = parts;
  if (key !== undefined) checkKey(key, request.facts.model, address, nowSeconds(parts.clock));
  const groups = usableGroups(snapshot, { user, key });
  if (groups.length === 0)
    throw new RelayError('group_not_allowed', `The group ${key?.group || user.group} is not available.`);
  unread.check(user.id);
  const standings = takeRequest(parts, { user, key });
  const tokenCharge = takeTokens(parts, { user, key }, request);
  if (tokenCharge !== undefined) standings.push(...tokenCharge.standings);
  return { groups, standings, tokenCharge };
}

function checkKey(key: KeyState, model: string, address: string, now: number): void {
  if (!key.enabled) throw new RelayError('api_key_disabled', `The token "${key.name}" is disabled.`);
  if (key.expiredTime !== -1 && key.expiredTime <= now)
    throw new RelayError('api_key_expired', `The token "${key.name}" has expired.`);
  if (key.allowsAddress?.(address) === false)
    throw new RelayError('address_not_allowed', `The token "${key.name}" may not be used from ${address}.`);
  if (key.models?.has(model) === false)
    throw new RelayError('model_not_allowed', `The token "${key.name}" may not use the model ${model}.`, {
      param: 'model',
    });
}

const ofUser = { policy: 'user-requests', whose: 'Your group' };

function takeRequest({ snapshot, rate }: Parts, { user, key }: Caller): Standing[] {
  const standings: Standing[] = [];
  const ofGroup = rate.take(`user:${user.id}`, snapshot.group(user.group)?.apiRate ?? 0, ofUser);
  if (ofGroup !== undefined) standings.push(ofGroup);
  if (key === undefined || key.apiRate === 0) return standings;
  const ofKey = { policy: 'token-requests', whose: `The token "${key.name}"` };
  const own = rate.take(`key:${key.id}`, key.apiRate, ofKey);
  if (own !== undefined) standings.push(own);
  return standings;
}

function takeTokens(
  { snapshot, tokenRate }: Parts,
  { user, key }: Caller,
  request: ClientRequest,
): TokenCharge | undefined {
  const ofGroup = snapshot.group(user.group)?.tokensPerMinute ?? 0;
  const ofKey = key?.tokensPerMinute ?? 0;
  if (ofGroup === 0 && ofKey === 0) return undefined;
  const limits = [
    { name: `user:${user.id}`, perMinute: ofGroup, policy: 'user-tokens', whose: 'Your group' },
    {
      name: `key:${key?.id}`,
      perMinute: ofKey,
      policy: 'token-tokens',
      whose: `The token "${key?.name}"`,
    },
  ];
  return tokenRate.take(limits, estimatedTokens(request.facts));
}

/**
 * The groups that a key names, in the order in which they serve, as far as its owner may still use them: somebody
 * who was moved out of a group does not stay in it by an old token.
 */
export function usableGroups(snapshot: Snapshot, { user, key }: Caller): readonly GroupState[] {
  const chosen = key === undefined || key.group === '' ? user.group : key.group;
  return [...new Set([chosen, key?.backupGroup ?? ''])].flatMap((symbol) => {
    const group = snapshot.group(symbol);
    return group?.enabled === true && (group.public || symbol === user.group) ? [group] : [];
  });
}
