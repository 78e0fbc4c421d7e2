/** Open holds in memory: of running requests, and lasting ones. */
import type { Clock } from '../platform/clock.ts';
import { AppError } from '../platform/http/app-error.ts';
import type { Hold } from './ledger-write-types.ts';

export interface OpenHolds {
  get(requestId: string): Hold | undefined;
  set(hold: Hold): void;
  /**
   * Marks a hold after a failed raise: it stays open, so that its request can charge what was delivered. Ignores
   * ended holds.
   */
  markDoubtful(before: Hold): void;
  /** Removes and returns a hold, once. @param isLasting a lasting hold, which its request must not end */
  take(requestId: string, isLasting?: boolean): Hold | undefined;
  markLasting(requestId: string): void;
  /** Makes a lasting hold end with its running request. */
  resume(requestId: string): void;
  /** Number of holds of running requests. */
  readonly running: number;
  readonly lasting: number;
  /** Time when the oldest hold of the running requests was taken, UTC ms. */
  readonly oldestAt: number | undefined;
}

/** @param left holds of an earlier process, which tasks end */
export function createOpenHolds(left: readonly Hold[], clock: Clock): OpenHolds {
  const open = new Map(left.map((hold) => [hold.requestId, hold]));
  const lasting = new Set(open.keys());
  /** Times of the holds of running requests, oldest first. */
  const since = new Map<string, number>();
  return {
    get: (requestId) => open.get(requestId),
    set(hold) {
      const isNew = !open.has(hold.requestId);
      open.set(hold.requestId, hold);
      if (hold.lasting === true) lasting.add(hold.requestId);
      else if (isNew) since.set(hold.requestId, clock.now());
    },
    markDoubtful(before) {
      if (open.has(before.requestId)) open.set(before.requestId, { ...before, isDoubtful: true });
    },
    take(requestId, isLasting = false) {
      if (lasting.has(requestId) !== isLasting) return undefined;
      const hold = open.get(requestId);
      open.delete(requestId);
      since.delete(requestId);
      lasting.delete(requestId);
      return hold;
    },
    markLasting(requestId) {
      lasting.add(requestId);
      since.delete(requestId);
    },
    resume(requestId) {
      if (lasting.delete(requestId)) since.set(requestId, clock.now());
    },
    get running() {
      return open.size - lasting.size;
    },
    get lasting() {
      return lasting.size;
    },
    get oldestAt() {
      const [oldest] = since.values();
      return oldest;
    },
  };
}

/** @throws AppError `unavailable` for a hold whose row may differ from memory, so that it cannot be raised */
export function rejectDoubtfulHold({ isDoubtful }: Hold): void {
  if (isDoubtful === true)
    throw new AppError('unavailable', 'The gateway could not reserve the cost of this request. Retry.');
}
