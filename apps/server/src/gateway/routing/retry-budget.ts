/**
 * Limits retries to a share of the live traffic, so that they do not worsen an outage. A few are always allowed, for
 * gateways with little traffic. When several users make requests, no user takes more than half, so that failing
 * requests of one leave retries to the others.
 */
import type { Clock } from '../../platform/clock.ts';

export interface RetryBudget {
  recordRequest(userId: number): void;
  /** Takes one retry. @returns false when the budget is used up */
  tryConsume(userId: number): boolean;
}

const SHARE = 0.15;
const SHARE_OF_ONE = 0.5;
const ALWAYS_ALLOWED = 10;
const SLOT_MS = 1_000;
const SLOTS = 10;

/** Counts by user, one map per second, for ten seconds. */
type Window = Map<number, number>[];

export function createRetryBudget(clock: Clock): RetryBudget {
  const requests = newWindow();
  const retries = newWindow();
  let slot = Math.floor(clock.now() / SLOT_MS);
  /** Returns the index of the current second, after clearing the seconds since the last call. */
  const currentSlotIndex = (): number => {
    const current = Math.floor(clock.now() / SLOT_MS);
    // When the clock is set back, nothing is cleared and nothing outlives its time.
    if (current < slot) slot = current;
    for (let stale = Math.max(slot + 1, current - SLOTS + 1); stale <= current; stale += 1) {
      requests[stale % SLOTS]?.clear();
      retries[stale % SLOTS]?.clear();
    }
    slot = current;
    return current % SLOTS;
  };
  return {
    recordRequest: (userId) => addRequest(requests[currentSlotIndex()], userId),
    tryConsume(userId) {
      const at = currentSlotIndex();
      const made = countOf(requests, userId);
      const taken = countOf(retries, userId);
      const allowed = Math.max(ALWAYS_ALLOWED, SHARE * made.all);
      const share = made.own === made.all ? 1 : SHARE_OF_ONE;
      if (taken.all >= allowed || taken.own >= share * allowed) return false;
      addRequest(retries[at], userId);
      return true;
    },
  };
}

function newWindow(): Window {
  return Array.from({ length: SLOTS }, () => new Map());
}

function addRequest(counts: Map<number, number> | undefined, userId: number): void {
  counts?.set(userId, (counts.get(userId) ?? 0) + 1);
}

function countOf(window: Window, userId: number): { all: number; own: number } {
  let all = 0;
  let own = 0;
  for (const counts of window) {
    for (const count of counts.values()) all += count;
    own += counts.get(userId) ?? 0;
  }
  return { all, own };
}
