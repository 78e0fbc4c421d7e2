/**
 * How each channel does with each model: its circuit breaker, the rest that a vendor asked for, how fast it answers, and
 * how often in a row its account looked broken. In memory only.
 */
import type { Context } from '../../context.ts';
import { createBoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
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

/** What became of an attempt; exactly one of the three is to be called. */
export interface AttemptWatch {
  answered(firstContentMs: number): void;
  failed(): void;
  /** It says nothing about the channel: the client was at fault, or left. */
  endedWithoutVerdict(): void;
}

export interface ChannelHealth {
  of(channelId: number, model: string): ModelHealth;
  /** Whether the breaker lets an attempt through; half-open ones let one at a time. */
  admits(channelId: number, model: string): boolean;
  begin(channelId: number, model: string): AttemptWatch;
  rest(channelId: number, model: string, forMs: number): void;
  /** Counts a failure of the key or account. @returns whether a request of our own should confirm it now */
  accountFailed(channelId: number): boolean;
  /** What is known of a channel, or of all. */
  list(channelId?: number): ModelHealth[];
  /** Closes every breaker of a channel and ends its rests, by an operator's hand. */
  reset(channelId: number): void;
}

interface Entry {
  channelId: number;
  model: string;
  breaker: CircuitBreaker;
  restsUntil: number;
  firstContentMs: number | undefined;
}

/** Clients may name any model that a wildcard covers. */
const ENTRIES_MAX = 20_000;
/** One refusal may be a vendor's hiccup; two in a row are worth a request of our own. */
const ACCOUNT_FAILURES_TO_CONFIRM = 2;
/** A client whose content is refused again and again must not make us ask the vendor each time. */
const CONFIRM_EVERY_MS = 60_000;
/** Weight of the newest answer. */
const SMOOTHING = 0.2;

export function createChannelHealth(clock: Clock, random: () => number = Math.random): ChannelHealth {
  /** A list of channels asks for each of them, and must not walk through all that is known each time. */
  const byChannel = new Map<number, Set<Entry>>();
  const entries = createBoundedMap<string, Entry>(ENTRIES_MAX, {
    dispose: (entry) => byChannel.get(entry.channelId)?.delete(entry),
  });
  const accountFailures = new Map<number, number>();
  const confirmedAt = new Map<number, number>();
  const nameOf = (channelId: number, model: string): string => `${channelId} ${model}`;

  const entryOf = (channelId: number, model: string): Entry => {
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
  const known = (channelId: number, model: string): Entry | undefined =>
    entries.get(nameOf(channelId, model));

  return {
    of(channelId, model) {
      const entry = known(channelId, model);
      return entry === undefined ? untried(channelId, model) : healthOfEntry(entry, clock.now());
    },
    admits: (channelId, model) => known(channelId, model)?.breaker.admits(clock.now()) ?? true,
    begin(channelId, model) {
      const entry = entryOf(channelId, model);
      const term = entry.breaker.begin(clock.now());
      return {
        answered(firstContentMs) {
          entry.breaker.answered(term, clock.now());
          entry.firstContentMs = smooth(entry.firstContentMs, firstContentMs);
          if (accountFailures.size > 0) accountFailures.delete(channelId);
        },
        failed: () => entry.breaker.failed(term, clock.now()),
        endedWithoutVerdict() {
          entry.breaker.endedWithoutVerdict(term);
          // Else whoever names models that nobody has would push out what is known of those that are there.
          if (isUntried(entry)) entries.delete(nameOf(channelId, model));
        },
      };
    },
    rest(channelId, model, forMs) {
      entryOf(channelId, model).restsUntil = clock.now() + forMs;
    },
    accountFailed(channelId) {
      const count = (accountFailures.get(channelId) ?? 0) + 1;
      accountFailures.set(channelId, count);
      const now = clock.now();
      if (count < ACCOUNT_FAILURES_TO_CONFIRM || now - (confirmedAt.get(channelId) ?? 0) < CONFIRM_EVERY_MS)
        return false;
      confirmedAt.set(channelId, now);
      return true;
    },
    list(channelId) {
      const now = clock.now();
      const wanted = channelId === undefined ? entries.values() : (byChannel.get(channelId) ?? []);
      return [...wanted].map((entry) => healthOfEntry(entry, now));
    },
    reset(channelId) {
      accountFailures.delete(channelId);
      confirmedAt.delete(channelId);
      for (const entry of byChannel.get(channelId) ?? []) {
        entry.restsUntil = 0;
        entry.breaker.close(clock.now());
      }
    },
  };
}

function isUntried({ breaker, restsUntil, firstContentMs }: Entry): boolean {
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
  { channelId, model, breaker, restsUntil, firstContentMs }: Entry,
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

function smooth(before: number | undefined, value: number): number {
  return before === undefined ? value : before + SMOOTHING * (value - before);
}
