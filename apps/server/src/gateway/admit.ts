/** Whether a request may run at all, before anything is reserved or sent. Every refusal names what refused it. */
import type { ClientRequest } from '@switchyard/relay';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Principal } from './authenticate.ts';
import { estimatedTokens } from './estimated-tokens.ts';
import type { Standing } from './limit-standing.ts';
import { RelayError } from './relay-error.ts';
import type { RateLimit, RequestRate } from './request-rate.ts';
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
  const { snapshot, unread, rate, tokenRate } = parts;
  if (key !== undefined) checkKey(key, request.facts.model, address, nowSeconds(parts.clock));
  const groups = usableGroups(snapshot, { user, key });
  if (groups.length === 0)
    throw new RelayError('group_not_allowed', `The group ${key?.group || user.group} is not available.`);
  unread.check(user.id);
  const limits = limitsOf(snapshot, { user, key });
  const standings = rate.take(limits.requests);
  try {
    const tokenCharge = tokenRate.take(limits.tokens, estimatedTokens(request.facts));
    if (tokenCharge !== undefined) standings.push(...tokenCharge.standings);
    return { groups, standings, tokenCharge };
  } catch (error) {
    rate.giveBack(limits.requests);
    throw error;
  }
}

/** As `admit`, for a request that is not going to run: takes nothing from the limits. @throws RelayError */
export function tryAdmission(
  parts: Parts,
  principal: Principal,
  request: ClientRequest,
  address: string,
): Omit<Admission, 'tokenCharge'> {
  const { tokenCharge, ...admission } = admit(parts, principal, request, address);
  parts.rate.giveBack(limitsOf(parts.snapshot, principal).requests);
  tokenCharge?.correct();
  return admission;
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

interface Limits {
  requests: RateLimit[];
  tokens: RateLimit[];
}

function limitsOf(snapshot: Snapshot, { user, key }: Caller): Limits {
  const group = snapshot.group(user.group);
  const ofUser = { name: `user:${user.id}`, whose: 'Your group' };
  const limits: Limits = {
    requests: [{ ...ofUser, perMinute: group?.apiRate ?? 0, policy: 'user-requests' }],
    tokens: [{ ...ofUser, perMinute: group?.tokensPerMinute ?? 0, policy: 'user-tokens' }],
  };
  if (key === undefined) return limits;
  const ofKey = { name: `key:${key.id}`, whose: `The token "${key.name}"` };
  limits.requests.push({ ...ofKey, perMinute: key.apiRate, policy: 'token-requests' });
  limits.tokens.push({ ...ofKey, perMinute: key.tokensPerMinute, policy: 'token-tokens' });
  return limits;
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
