/**
 * Shared resources: cores, a disk that writes for all waiting commits, and rows that one transaction at a time locks.
 */
import type { EventQueue } from './event-queue.ts';

/** First come, first served. */
export interface Cores {
  /** Runs for the given time on one core once it is free. */
  use(ms: number, then: () => void): void;
  /** Milliseconds that all cores together have worked until now. */
  busyMs(): number;
}

export function createCores(events: EventQueue, count: number): Cores {
  const queue = createQueue<() => void>();
  let working = 0;
  let given = 0;
  /** When running work will have ended. */
  const ends = new Set<{ at: number }>();
  const begin = (ms: number, then: () => void): void => {
    working += 1;
    given += ms;
    const end = { at: events.now + ms };
    ends.add(end);
    events.after(ms, () => {
      ends.delete(end);
      working -= 1;
      const next = queue.shift();
      next?.();
      then();
    });
  };
  return {
    use(ms, then) {
      if (working < count) begin(ms, then);
      else queue.push(() => begin(ms, then));
    },
    busyMs() {
      let left = 0;
      for (const { at } of ends) left += at - events.now;
      return given - left;
    },
  };
}

/** Arrivals during a flush are written by the next one together. */
export function createFlushes(events: EventQueue, flushMs: number): (then: () => void) => void {
  let waiting: (() => void)[] = [];
  let isWriting = false;
  const write = (): void => {
    const served = waiting;
    waiting = [];
    isWriting = true;
    events.after(flushMs, () => {
      isWriting = false;
      if (waiting.length > 0) write();
      for (const then of served) then();
    });
  };
  return (then) => {
    waiting.push(then);
    if (!isWriting) write();
  };
}

export interface Rows {
  /** Locks are taken one after the other, always in ascending order, so that no deadlock occurs. */
  lock(names: readonly number[], then: () => void): void;
  release(names: readonly number[]): void;
}

export function createRows(): Rows {
  const locked = new Map<number, Queue<() => void>>();
  const lockFrom = (names: readonly number[], nth: number, then: () => void): void => {
    for (let place = nth; place < names.length; place += 1) {
      const name = names[place] ?? 0;
      const queue = locked.get(name);
      if (queue !== undefined) {
        queue.push(() => lockFrom(names, place + 1, then));
        return;
      }
      locked.set(name, createQueue());
    }
    then();
  };
  return {
    lock: (names, then) => lockFrom(names, 0, then),
    release(names) {
      for (const name of names) {
        const next = locked.get(name)?.shift();
        if (next === undefined) locked.delete(name);
        else next();
      }
    },
  };
}

interface Queue<T> {
  push(item: T): void;
  shift(): T | undefined;
}

/** An array's `shift` moves all other elements. */
function createQueue<T>(): Queue<T> {
  let items: T[] = [];
  let first = 0;
  return {
    push: (item) => void items.push(item),
    shift() {
      if (first === items.length) return undefined;
      const item = items[first];
      first += 1;
      if (first > 1_000 && first * 2 > items.length) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
  };
}
