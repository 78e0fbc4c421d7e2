/**
 * How each channel does with each model: its circuit breaker, the rest that a vendor asked for, and how fast it answers.
 * In memory only.
 */
import type { Context } from '../../context.ts';
import { createBoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { type AttemptWatch, type HealthEntry, type OwnRequest, watchAttempt } from './attempt-watch.ts';
import { type BreakerState, CircuitBreaker } from './circuit-breaker.ts';

export interface ModelHealth {
  channelId: number;
  model: string;
  breaker: BreakerState;
  /** UTC ms; 0 when the breaker is closed. */
  openUntil: number;
  failuresInRow: number;
  /** UTC ms; 0 when it does not rest. */
  restsUntil: number;
  /** Smoothed milliseconds to the first content; undefined before the first answer. */
  firstContentMs: number | undefined;
}

export interface ChannelHealth {
  of(channelId: number, model: string): ModelHealth;
  /** Whether the breaker lets an attempt through; half-open ones let one at a time. */
  admits(channelId: number, model: string): boolean;
  begin(channelId: number, model: string): AttemptWatch;
  rest(channelId: number, model: string, forMs: number): void;
  /** What is known of a channel, or of all. */
  list(channelId?: number): ModelHealth[];
  /** Closes every breaker of a channel and ends its rests, by an operator's hand. */
  reset(channelId: number): void;
}

/** Clients may name any model that a wildcard covers. */
const ENTRIES_MAX = 20_000;

export function createChannelHealth(clock: Clock, random: () => number = Math.random): ChannelHealth {
  /** A list of channels asks for each of them, and must not walk through all that is known each time. */
  const byChannel = new Map<number, Set<HealthEntry>>();
  const entries = createBoundedMap<string, HealthEntry>(ENTRIES_MAX, {
    dispose: (entry) => byChannel.get(entry.channelId)?.delete(entry),
  });
  const ownRequests = new Map<number, OwnRequest>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;

  const entryOf = (channelId: number, model: string): HealthEntry => {
    const name = nameOf(channelId, model);
    const known = entries.get(name);
    if (known !== undefined) return known;
    const breaker = new CircuitBreaker(random);
    const entry = { channelId, model, breaker, restsUntil: 0, firstContentMs: undefined };
    entries.set(name, entry);
    const others = byChannel.get(channelId);
    if (others === undefined) byChannel.set(channelId, new Set([entry]));
    else others.add(entry);
    return entry;
  };
  const known = (channelId: number, model: string): HealthEntry | undefined =>
    entries.get(nameOf(channelId, model));

  return {
    of(channelId, model) {
      const entry = known(channelId, model);
      return entry === undefined ? untried(channelId, model) : healthOfEntry(entry, clock.now());
    },
    admits: (channelId, model) => known(channelId, model)?.breaker.admits(clock.now()) ?? true,
    begin(channelId, model) {
      const entry = entryOf(channelId, model);
      const forgetUntried = (): void => {
        if (isUntried(entry)) entries.delete(nameOf(channelId, model));
      };
      return watchAttempt({ clock, entry, ownRequests, forgetUntried });
    },
    rest(channelId, model, forMs) {
      const entry = entryOf(channelId, model);
      entry.restsUntil = Math.max(entry.restsUntil, clock.now() + forMs);
    },
    list(channelId) {
      const now = clock.now();
      const wanted = channelId === undefined ? entries.values() : (byChannel.get(channelId) ?? []);
      return [...wanted].map((entry) => healthOfEntry(entry, now));
    },
    reset(channelId) {
      ownRequests.delete(channelId);
      for (const entry of byChannel.get(channelId) ?? []) {
        entry.restsUntil = 0;
        entry.breaker.close(clock.now());
      }
    },
  };
}

function isUntried({ breaker, restsUntil, firstContentMs }: HealthEntry): boolean {
  return firstContentMs === undefined && restsUntil === 0 && breaker.isUntried;
}

function untried(channelId: number, model: string): ModelHealth {
  return {
    channelId,
    model,
    breaker: 'closed',
    openUntil: 0,
    failuresInRow: 0,
    restsUntil: 0,
    firstContentMs: undefined,
  };
}

const healths = new WeakMap<Context, ChannelHealth>();

/** The one that this server's relay writes and its screens read. */
export function channelHealth(ctx: Context): ChannelHealth {
  const known = healths.get(ctx);
  if (known !== undefined) return known;
  const health = createChannelHealth(ctx.clock);
  healths.set(ctx, health);
  return health;
}

function healthOfEntry(
  { channelId, model, breaker, restsUntil, firstContentMs }: HealthEntry,
  now: number,
): ModelHealth {
  const state = breaker.stateAt(now);
  return {
    channelId,
    model,
    breaker: state,
    openUntil: breaker.openUntil,
    failuresInRow: breaker.failuresInRow,
    restsUntil: restsUntil > now ? restsUntil : 0,
    firstContentMs,
  };
}
