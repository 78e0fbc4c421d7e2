/**
 * Retries are a share of the live traffic, so that an outage is not made worse by everybody's second and third
 * attempt. A few are always allowed, so that the retry of a single user works.
 */
import type { Clock } from '../platform/clock.ts';

export interface RetryBudget {
  noteRequest(): void;
  /** Takes one retry; false when the budget is spent. */
  take(): boolean;
}

const SHARE = 0.15;
const ALWAYS_ALLOWED = 10;
const SLOT_MS = 1_000;
const SLOTS = 10;

/** Over the last ten seconds. */
export function createRetryBudget(clock: Clock): RetryBudget {
  const requests = Array.from({ length: SLOTS }, () => 0);
  const retries = Array.from({ length: SLOTS }, () => 0);
  let slot = Math.floor(clock.now() / SLOT_MS);
  /** The place of this second, with the seconds since the last call emptied. */
  const place = (): number => {
    const current = Math.floor(clock.now() / SLOT_MS);
    // A clock that was set back must not empty or outlive anything.
    if (current < slot) slot = current;
    for (let stale = Math.max(slot + 1, current - SLOTS + 1); stale <= current; stale += 1) {
      requests[stale % SLOTS] = 0;
      retries[stale % SLOTS] = 0;
    }
    slot = current;
    return current % SLOTS;
  };
  const add = (counts: number[], at: number): void => {
    counts[at] = (counts[at] ?? 0) + 1;
  };
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return {
    noteRequest: () => add(requests, place()),
    take() {
      const at = place();
      if (sum(retries) >= Math.max(ALWAYS_ALLOWED, SHARE * sum(requests))) return false;
      add(retries, at);
      return true;
    },
  };
}
