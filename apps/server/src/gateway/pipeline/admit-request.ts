/** Admits requests before anything is reserved or sent. Every refusal names its reason. */
import type { ClientRequest } from '@switchyard/relay';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import type { RateLimitState } from '../http/rate-limit-headers.ts';
import { RelayError } from '../http/relay-error.ts';
import { type ConcurrencyLimiter, type ConcurrencySlot, noReader } from '../limits/concurrency-limiter.ts';
import type { RateLimit, RequestRateLimiter } from '../limits/request-rate.ts';
import type { TokenCharge, TokenRateLimiter } from '../limits/token-rate.ts';
import type { UnpaidRequestLimit } from '../limits/unpaid-request-limit.ts';
import { estimateTokens } from '../routing/adjust-expected-usage.ts';
import { offersToGroup } from '../routing/channel-offers.ts';
import type { Candidate } from '../routing/channel-selector.ts';
import { isPinnedByCaller, type Principal } from '../snapshot/authenticate-api-key.ts';
import type { LimitModelNames } from '../snapshot/model-label-and-name-limit.ts';
import type { GroupState, KeyState, Snapshot, UserState } from '../snapshot/snapshot.ts';

/** Result of the admission of a request that may run. */
export interface Admission {
  /** Groups whose channels may serve, in order of preference; the group that serves sets the price. */
  groups: readonly GroupState[];
  /** States of every limit that applied. */
  rateLimitStates: readonly RateLimitState[];
  /** Undefined when no limit counts tokens. */
  tokenCharge: TokenCharge | undefined;
}

/** Admission of the caller, before the request itself is known. */
type CallerAdmission = Pick<Admission, 'groups' | 'rateLimitStates'>;

/** Resources that an outer request took at its arrival, for the inner request that is served for it. */
export interface AcquiredResources {
  slot: ConcurrencySlot;
  caller: CallerAdmission;
}

type Caller = Pick<Principal, 'user' | 'key'>;

/** Parts of the gateway that admit a caller and its request. */
export interface AdmitParts {
  snapshot: Snapshot;
  rate: RequestRateLimiter;
  tokenRate: TokenRateLimiter;
  unpaidRequestLimit: UnpaidRequestLimit;
  limitModelNames: LimitModelNames;
  clock: Clock;
}

/**
 * Decides what can be decided without the body, so that an unauthorized caller cannot make the gateway read one.
 * @throws RelayError
 */
export async function admitCaller(parts: AdmitParts, principal: Principal, address: string): Promise<CallerAdmission> {
  const groups = resolveGroups(parts, principal, address);
  return { groups, rateLimitStates: await parts.rate.consume(requestLimits(parts.snapshot, principal)) };
}

/**
 * Admits the caller and acquires a concurrency slot.
 * @param occupies key and user whose slots are taken, besides the address's
 * @param more limits on requests besides those of the user and the key
 * @throws RelayError
 */
export async function admitAndAcquire(
  parts: AdmitParts & { concurrencyLimiter: ConcurrencyLimiter },
  principal: Principal,
  address: string,
  occupies: Partial<Caller> = principal,
  more: readonly RateLimit[] = [],
): Promise<AcquiredResources> {
  const groups = resolveGroups(parts, principal, address);
  const limits = [...requestLimits(parts.snapshot, principal), ...more];
  const { slot, rateLimitStates } = await acquireWithinLimits(parts, {
    occupies,
    address,
    limits,
    memoryOwner: principal.user.id,
  });
  return { slot, caller: { groups, rateLimitStates } };
}

/** Acquires a concurrency slot and consumes the request limits concurrently: both or neither. @throws RelayError */
export async function acquireWithinLimits(
  { concurrencyLimiter, rate }: { concurrencyLimiter: ConcurrencyLimiter; rate: RequestRateLimiter },
  {
    occupies,
    address,
    limits,
    memoryOwner,
  }: { occupies: Partial<Caller>; address: string; limits: RateLimit[]; memoryOwner?: number },
): Promise<{ slot: ConcurrencySlot; rateLimitStates: RateLimitState[] }> {
  if (!limits.some(({ perMinute }) => perMinute > 0))
    return { slot: await concurrencyLimiter.acquire(occupies, address, memoryOwner), rateLimitStates: [] };
  const [slot, rateLimitStates] = await Promise.allSettled([
    concurrencyLimiter.acquire(occupies, address, memoryOwner),
    rate.consume(limits),
  ]);
  if (slot.status === 'rejected') {
    if (rateLimitStates.status === 'fulfilled') rate.refund(limits);
    throw slot.reason;
  }
  if (rateLimitStates.status === 'rejected') {
    slot.value.release(noReader);
    throw rateLimitStates.reason;
  }
  return { slot: slot.value, rateLimitStates: rateLimitStates.value };
}

/** @throws RelayError */
function resolveGroups(parts: AdmitParts, { user, key }: Principal, address: string): readonly GroupState[] {
  if (key !== undefined) checkKey(key, address, nowSeconds(parts.clock));
  const groups = usableGroups(parts.snapshot, { user, key });
  if (groups.length === 0) throw groupError(parts.snapshot, key, user);
  parts.unpaidRequestLimit.check(user.id);
  return groups;
}

function groupError(snapshot: Snapshot, key: Principal['key'], user: Principal['user']): RelayError {
  const symbol = key?.group || user.group;
  const group = snapshot.group(symbol);
  const state = group === undefined ? 'does not exist' : group.enabled ? 'is not open to you' : 'is disabled';
  return new RelayError('group_not_allowed', `The group ${symbol} ${state}. ${adviseOnGroup(key)}`);
}

/** A token without a group of its own, and the playground, use the group of the user. */
function adviseOnGroup(key: Principal['key']): string {
  return key?.group ? 'Choose another group for the token.' : 'Ask an administrator for another group.';
}

/** @throws RelayError */
export async function admitRequest(
  { snapshot, tokenRate, limitModelNames }: AdmitParts,
  { user, key }: Principal,
  { facts }: ClientRequest,
  { groups, rateLimitStates }: CallerAdmission,
): Promise<Admission> {
  checkModel(key, facts.model);
  limitModelNames(user, facts.model);
  const tokenCharge = await tokenRate.consume(tokenLimits(snapshot, { user, key }), estimateTokens(facts));
  return { groups, rateLimitStates: [...rateLimitStates, ...(tokenCharge?.rateLimitStates ?? [])], tokenCharge };
}

/**
 * Checks whether an admitted request may continue on the channel. Takes nothing from the limits, and ignores what
 * `watchRights` observes.
 * @throws RelayError
 */
export function checkContinuation(
  { snapshot, clock }: Pick<AdmitParts, 'snapshot' | 'clock'>,
  principal: Principal,
  { facts }: ClientRequest,
  { channel, group, model }: Pick<Candidate, 'channel' | 'group' | 'model'>,
  address: string,
): void {
  const { user, key } = principal;
  if (key !== undefined) checkKey(key, address, nowSeconds(clock));
  for (const name of [facts.model, model]) checkModel(key, name);
  if (!usableGroups(snapshot, { user, key }).some(({ symbol }) => symbol === group.symbol))
    throw new RelayError(
      'group_not_allowed',
      `The group ${group.symbol} is no longer available to you. ${adviseOnGroup(key)}`,
    );
  const serving = snapshot.channel(channel.id);
  if (serving === undefined)
    throw new RelayError('no_available_channel', 'The channel of this session has been disabled. Open a new session.');
  if (!isPinnedByCaller(principal) && !offersToGroup(serving, group.symbol, model))
    throw new RelayError(
      'no_available_channel',
      `The channel of this session no longer offers ${model} to the group ${group.symbol}. Open a new session.`,
    );
}

/** Refunds the limits that a caller used, before it is admitted again. */
function refundCaller({ snapshot, rate }: Pick<AdmitParts, 'snapshot' | 'rate'>, caller: Caller): void {
  rate.refund(requestLimits(snapshot, caller));
}

/** @throws RelayError */
export function checkModel(key: KeyState | undefined, model: string): void {
  if (key?.models?.has(model) !== false) return;
  const refusal = `The token "${key.name}" may not use the model ${model.slice(0, 80)}.`;
  const message = `${refusal} Add the model to the token's list, or use one of its models.`;
  throw new RelayError('model_not_allowed', message, { param: 'model' });
}

/** Admits the caller and the request without running it: takes nothing from the limits. @throws RelayError */
export async function simulateAdmission(
  parts: AdmitParts,
  principal: Principal,
  request: ClientRequest,
  address: string,
): Promise<Admission> {
  const caller = await admitCaller(parts, principal, address);
  refundCaller(parts, principal);
  const admission = await admitRequest(parts, principal, request, caller);
  admission.tokenCharge?.correct();
  return admission;
}

/**
 * Checks whether a key may be used at all, for calls and queries alike. A key without remaining quota passes: it may
 * fetch what it has paid for, and the hold refuses further costs.
 * @throws RelayError
 */
function checkKey(key: KeyState, address: string, now: number): void {
  const refusal = findKeyRefusal(key, address, now);
  if (refusal !== undefined) throw refusal;
}

/** Returns why a key may not be used; undefined if it may. @param now UTC seconds */
export function findKeyRefusal(key: KeyState, address: string, now: number): RelayError | undefined {
  const { name, expiredTime } = key;
  if (!key.enabled) {
    const remedy = key.isDisabledByStaff
      ? 'disabled by staff. Ask an administrator, or use another token.'
      : 'disabled. Enable it in the console, or use another token.';
    return new RelayError('api_key_disabled', `The token "${name}" is ${remedy}`);
  }
  if (expiredTime !== -1 && expiredTime <= now) {
    const end = new Date(expiredTime * 1000).toISOString();
    return new RelayError(
      'api_key_expired',
      `The token "${name}" expired at ${end}. Extend it in the console, or create a new one.`,
    );
  }
  if (key.allowsAddress?.(address) === false)
    return new RelayError(
      'address_not_allowed',
      `The token "${name}" may not be used from ${address}. Add this address to the token's allowed addresses.`,
    );
  return undefined;
}

function requestLimits(snapshot: Snapshot, { user, key }: Caller): RateLimit[] {
  const perMinute = snapshot.group(user.group)?.apiRate ?? 0;
  const limits = [{ ...userLimit(user), perMinute, policy: 'user-requests' }];
  if (key !== undefined) limits.push({ ...keyLimit(key), perMinute: key.apiRate, policy: 'token-requests' });
  return limits;
}

function tokenLimits(snapshot: Snapshot, { user, key }: Caller): RateLimit[] {
  const perMinute = snapshot.group(user.group)?.tokensPerMinute ?? 0;
  const limits = [{ ...userLimit(user), perMinute, policy: 'user-tokens' }];
  if (key !== undefined) limits.push({ ...keyLimit(key), perMinute: key.tokensPerMinute, policy: 'token-tokens' });
  return limits;
}

const userLimit = ({ id }: UserState) => ({ name: `user:${id}`, callerLabel: 'each user of your group' });
const keyLimit = ({ id, name }: KeyState) => ({ name: `key:${id}`, callerLabel: `the token "${name}"` });

/**
 * Returns the groups that a key names, in order of preference, which its owner may still use: an old token must not
 * keep a user in a group from which the user was removed.
 */
export function usableGroups(snapshot: Snapshot, { user, key }: Caller): readonly GroupState[] {
  const chosen = key === undefined || key.group === '' ? user.group : key.group;
  return [...new Set([chosen, key?.backupGroup ?? ''])].flatMap((symbol) => {
    const group = snapshot.group(symbol);
    return group?.enabled === true && (group.public || symbol === user.group) ? [group] : [];
  });
}
