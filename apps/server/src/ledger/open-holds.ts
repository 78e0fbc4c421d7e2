/** The holds that nobody has ended, in memory: of requests on their way, and those that outlived theirs. */
import type { Hold } from './movement.ts';

export interface OpenHolds {
  get(requestId: string): Hold | undefined;
  set(hold: Hold): void;
  /** Each is taken once. @param isLasting it outlived its request, which must not end it */
  take(requestId: string, isLasting?: boolean): Hold | undefined;
  outlive(requestId: string): void;
  /** Its request runs now, and ends it. */
  resume(requestId: string): void;
  /** Of requests on their way. */
  readonly running: number;
}

/** @param left by an earlier process, for tasks to end */
export function createOpenHolds(left: readonly Hold[]): OpenHolds {
  const open = new Map(left.map((hold) => [hold.requestId, hold]));
  const lasting = new Set(open.keys());
  return {
    get: (requestId) => open.get(requestId),
    set(hold) {
      open.set(hold.requestId, hold);
      if (hold.lasting === true) lasting.add(hold.requestId);
    },
    take(requestId, isLasting = false) {
      if (lasting.has(requestId) !== isLasting) return undefined;
      const hold = open.get(requestId);
      open.delete(requestId);
      lasting.delete(requestId);
      return hold;
    },
    outlive: (requestId) => void lasting.add(requestId),
    resume: (requestId) => void lasting.delete(requestId),
    get running() {
      return open.size - lasting.size;
    },
  };
}
