/**
 * Shares the event loop between those who have much to do. Each does a small slice at a time, in a turn of its own kind:
 * the loop looks at the sockets of all others after a few milliseconds, however many events one upstream sends at once.
 */

/** Does a part of the work. @returns whether more is left */
export type Slice = () => boolean;

export interface FairTurns {
  /** Runs the slice in later turns until nothing is left, alternating with those of others. It must not throw. */
  add(slice: Slice): void;
}

/** A small call takes about twenty turns: this is what it waits in each of them. */
const TURN_MS = 1;

export function createFairTurns(): FairTurns {
  const waiting: Slice[] = [];
  let isScheduled = false;
  const schedule = (): void => {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(turn);
  };
  const turn = (): void => {
    const until = performance.now() + TURN_MS;
    do {
      const slice = waiting.shift();
      if (slice === undefined) break;
      if (slice()) waiting.push(slice);
    } while (waiting.length > 0 && performance.now() < until);
    isScheduled = false;
    schedule();
  };
  return {
    add(slice) {
      waiting.push(slice);
      schedule();
    },
  };
}
