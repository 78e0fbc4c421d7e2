/** The holds that nobody has ended, in memory: of requests on their way, and those that outlived theirs. */
import type { Clock } from '../platform/clock.ts';
import type { Hold } from './ledger-write.ts';

export interface OpenHolds {
  get(requestId: string): Hold | undefined;
  set(hold: Hold): void;
  /** After a raise that failed: it stays open, for its request to charge what was delivered. Nothing where it has ended. */
  markDoubtful(before: Hold): void;
  /** Each is taken once. @param isLasting it outlived its request, which must not end it */
  take(requestId: string, isLasting?: boolean): Hold | undefined;
  markLasting(requestId: string): void;
  /** Its request runs now, and ends it. */
  resume(requestId: string): void;
  /** Number of holds of running requests. */
  readonly running: number;
  readonly lasting: number;
  /** Time when the oldest hold of the running requests was taken, UTC ms. */
  readonly oldestAt: number | undefined;
}

/** @param left by an earlier process, for tasks to end */
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
