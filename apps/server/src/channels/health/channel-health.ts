/**
 * Health of each channel for each model: its circuit breaker, the cooldowns that a vendor requested (per key), and
 * its latency. Kept in memory; nodes share opened circuit breakers and cooldowns.
 */
import type { Context } from '../../context.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { type Clock, steadyClock } from '../../platform/clock.ts';
import { type SharedLimits, unsharedLimits } from '../../platform/limits/shared-limits.ts';
import {
  type AttemptRecorder,
  createAttemptRecorder,
  getCooldownEnd,
  getKeyHealth,
  type HealthEntry,
  type ProbeRequest,
} from './attempt-recorder.ts';
import { CircuitBreaker, type CircuitState } from './circuit-breaker.ts';
import {
  formatHealthEvent,
  getChannelEventPrefix,
  subscribeToHealthEvents,
  withCooldownEvents,
} from './health-broadcast.ts';

export interface ModelHealth {
  channelId: number;
  model: string;
  circuitBreaker: CircuitState;
  /** UTC ms; 0 when the breaker is closed. */
  openUntil: number;
  failuresInRow: number;
  /** UTC ms; 0 without a cooldown. */
  cooldownUntil: number;
  /** Smoothed milliseconds to the first content; undefined before the first response. */
  firstContentMs: number | undefined;
  /** Other model that produced the last response, as reported by the vendor; empty for none. */
  servedModel: string;
}

export interface ChannelHealth {
  get(channelId: number, model: string): ModelHealth;
  /** Returns whether the circuit breaker allows an attempt; a half-open one allows one at a time. */
  allowsAttempt(channelId: number, model: string): boolean;
  /** @param key key of the attempt. @param userId absent for the gateway's own requests */
  beginAttempt(channelId: number, model: string, key?: AttemptKey, userId?: number): AttemptRecorder;
  /** @param servedModel other model that produced a response; empty for the requested one */
  recordServedModel(channelId: number, model: string, servedModel: string): void;
  /** @param key key to put in cooldown; absent for the channel */
  startCooldown(channelId: number, model: string, forMs: number, key?: AttemptKey): void;
  /** Returns the UTC ms until which a key is in cooldown; 0 when it is not. */
  getKeyCooldownEnd(channelId: number, model: string, keyId: string): number;
  /** Returns, for each key of a channel that is in cooldown for some model, the UTC ms of its end. */
  listKeyCooldowns(channelId: number): Map<string, number>;
  /** Returns the health of a channel, or of all channels. */
  list(channelId?: number): ModelHealth[];
  /** Allows one request at a time for each model of a channel until enough of them succeed. */
  beginTrial(channelId: number, models: readonly string[]): void;
  /** Closes every breaker of a channel and ends its cooldowns, by an operator's action. */
  reset(channelId: number): void;
}

/** Key of a channel, and the ids of all its keys. */
export interface AttemptKey {
  id: string;
  all: readonly string[];
}

const ONLY_KEY: AttemptKey = { id: '', all: [''] };

/** Bounded, because clients may name any model that a wildcard covers. */
const ENTRIES_MAX = 20_000;
/** Other nodes allow their first request after this time. */
const TRIAL_EVENT_MS = 1_000;

/**
 * @param clock measures cooldowns, and must not be affected when the time of day is set
 * @param timeOfDay clock by which the ends of cooldowns are reported
 */
export function createChannelHealth(
  clock: Clock,
  random: () => number = Math.random,
  shared: SharedLimits = unsharedLimits,
  timeOfDay: Pick<Clock, 'now'> = clock,
): ChannelHealth {
  const toUtc: ToUtc = (until) => (until > 0 ? until + timeOfDay.now() - clock.now() : 0);
  /** Index by channel, so that a list of channels doesn't scan all entries for each of them. */
  const byChannel = new Map<number, Set<HealthEntry>>();
  const entries = createBoundedMap<string, HealthEntry>(ENTRIES_MAX, {
    dispose: (entry) => byChannel.get(entry.channelId)?.delete(entry),
  });
  const ownRequests = new Map<number, Map<string, ProbeRequest>>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;

  const entryOf = (channelId: number, model: string): HealthEntry => {
    const name = nameOf(channelId, model);
    const known = entries.get(name);
    if (known !== undefined) return known;
    const entry = newEntry(channelId, model, new CircuitBreaker(random));
    entries.set(name, entry);
    const others = byChannel.get(channelId);
    if (others === undefined) byChannel.set(channelId, new Set([entry]));
    else others.add(entry);
    return entry;
  };
  const known = (channelId: number, model: string): HealthEntry | undefined => entries.get(nameOf(channelId, model));

  const restUntil = (entry: HealthEntry, keyId: string | null, until: number): void => {
    const rests = keyId === null ? entry : getKeyHealth(entry, keyId);
    rests.cooldownUntil = Math.max(rests.cooldownUntil, until);
  };
  const forgetTroubles = (channelId: number): void => {
    ownRequests.delete(channelId);
    for (const entry of byChannel.get(channelId) ?? []) clearFailures(entry, clock.now());
  };
  subscribeToHealthEvents(shared, forgetTroubles, ({ channelId, kind, keyId, model }, forMs) => {
    const entry = entryOf(channelId, model);
    const until = clock.now() + forMs;
    if (kind === 'open') entry.circuitBreaker.forceOpen(until, clock.now());
    else restUntil(entry, keyId, until);
  });

  return {
    get(channelId, model) {
      const entry = known(channelId, model);
      return entry === undefined ? createUntriedHealth(channelId, model) : toModelHealth(entry, clock.now(), toUtc);
    },
    allowsAttempt: (channelId, model) => known(channelId, model)?.circuitBreaker.allowsAttempt(clock.now()) ?? true,
    beginAttempt(channelId, model, key = ONLY_KEY, userId) {
      const entry = entryOf(channelId, model);
      entry.keyIds = key.all;
      const own = ownRequests.get(channelId) ?? new Map<string, ProbeRequest>();
      ownRequests.set(channelId, own);
      const forgetUntried = (): void => {
        if (isUntried(entry)) entries.delete(nameOf(channelId, model));
      };
      const watch = createAttemptRecorder({ clock, entry, keyId: key.id, userId, probeRequests: own, forgetUntried });
      return withCooldownEvents({ shared, clock, entry }, watch);
    },
    recordServedModel(channelId, model, servedModel) {
      const entry = known(channelId, model);
      if (entry !== undefined) entry.servedModel = servedModel;
    },
    startCooldown(channelId, model, forMs, key) {
      const entry = entryOf(channelId, model);
      if (key !== undefined) entry.keyIds = key.all;
      restUntil(entry, key?.id ?? null, clock.now() + forMs);
      shared.publishText(formatHealthEvent(channelId, 'rest', key?.id ?? null, model), forMs);
    },
    getKeyCooldownEnd(channelId, model, keyId) {
      const until = known(channelId, model)?.keys.get(keyId)?.cooldownUntil ?? 0;
      return until > clock.now() ? toUtc(until) : 0;
    },
    listKeyCooldowns: (channelId) => findLongestCooldowns(byChannel.get(channelId) ?? [], clock.now(), toUtc),
    list(channelId) {
      const now = clock.now();
      const wanted = channelId === undefined ? entries.values() : (byChannel.get(channelId) ?? []);
      return [...wanted].map((entry) => toModelHealth(entry, now, toUtc));
    },
    beginTrial(channelId, models) {
      forgetTroubles(channelId);
      for (const model of models) {
        startTrial(entryOf(channelId, model), clock.now());
        shared.publishText(formatHealthEvent(channelId, 'open', null, model), TRIAL_EVENT_MS);
      }
    },
    reset(channelId) {
      forgetTroubles(channelId);
      shared.withdrawTexts(getChannelEventPrefix(channelId));
    },
  };
}

function newEntry(channelId: number, model: string, breaker: CircuitBreaker): HealthEntry {
  return {
    channelId,
    model,
    circuitBreaker: breaker,
    cooldownUntil: 0,
    firstContentMs: undefined,
    successes: [],
    lastFailure: undefined,
    servedModel: '',
    keys: new Map(),
    keyIds: [],
    isOnTrial: false,
  };
}

function clearFailures(entry: HealthEntry, now: number): void {
  entry.cooldownUntil = 0;
  entry.isOnTrial = false;
  entry.keys.clear();
  entry.circuitBreaker.close(now);
}

/** Makes the circuit breaker half-open. */
function startTrial(entry: HealthEntry, now: number): void {
  entry.isOnTrial = true;
  entry.circuitBreaker.forceOpen(now, now);
}

/** Converts the end of a cooldown, by the clock that measures it, to UTC ms; 0 without one. */
type ToUtc = (until: number) => number;

/** Returns the end of the longest cooldown of each key that is in one, UTC ms. */
function findLongestCooldowns(entries: Iterable<HealthEntry>, now: number, toUtc: ToUtc): Map<string, number> {
  const rests = new Map<string, number>();
  for (const { keys } of entries)
    for (const [id, { cooldownUntil }] of keys)
      if (cooldownUntil > now) rests.set(id, Math.max(rests.get(id) ?? 0, toUtc(cooldownUntil)));
  return rests;
}

function isUntried({ circuitBreaker, cooldownUntil, firstContentMs, keys }: HealthEntry): boolean {
  const isKeyTried = [...keys.values()].some((key) => key.cooldownUntil > 0 || key.refusalsInRow > 0);
  return firstContentMs === undefined && cooldownUntil === 0 && !isKeyTried && circuitBreaker.isUntried;
}

function createUntriedHealth(channelId: number, model: string): ModelHealth {
  return {
    channelId,
    model,
    circuitBreaker: 'closed',
    openUntil: 0,
    failuresInRow: 0,
    cooldownUntil: 0,
    firstContentMs: undefined,
    servedModel: '',
  };
}

const healthByContext = new WeakMap<Context, ChannelHealth>();

/** Returns the health that this server's relay writes and its screens read. */
export function getChannelHealth(ctx: Context): ChannelHealth {
  const known = healthByContext.get(ctx);
  if (known !== undefined) return known;
  const health = createChannelHealth(steadyClock(ctx.clock), Math.random, ctx.sharedLimits, ctx.clock);
  healthByContext.set(ctx, health);
  return health;
}

function toModelHealth(entry: HealthEntry, now: number, toUtc: ToUtc): ModelHealth {
  const { channelId, model, circuitBreaker, firstContentMs, servedModel } = entry;
  const restsUntil = getCooldownEnd(entry);
  const state = circuitBreaker.stateAt(now);
  return {
    channelId,
    model,
    circuitBreaker: state,
    openUntil: toUtc(circuitBreaker.openUntil),
    failuresInRow: circuitBreaker.failuresInRow,
    cooldownUntil: restsUntil > now ? toUtc(restsUntil) : 0,
    firstContentMs,
    servedModel,
  };
}
