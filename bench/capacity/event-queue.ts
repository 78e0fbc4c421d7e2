/** Simulated events in milliseconds: a heap that runs events with the same time in the order of their insertion. */

type Act = () => void;

export interface EventQueue {
  readonly now: number;
  after(ms: number, act: Act): void;
  /** Runs all events until the given time. */
  runUntil(time: number): void;
}

interface Entry {
  at: number;
  order: number;
  act: Act;
}

const isBefore = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

export function createEventQueue(): EventQueue {
  const heap: Entry[] = [];
  let now = 0;
  let made = 0;

  const add = (entry: Entry): void => {
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = entry;
  };

  const takeFirst = (): void => {
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      let smaller = heap[child];
      const right = heap[child + 1];
      if (smaller !== undefined && right !== undefined && isBefore(right, smaller)) {
        child += 1;
        smaller = right;
      }
      if (smaller === undefined || !isBefore(smaller, last)) break;
      heap[place] = smaller;
      place = child;
    }
    heap[place] = last;
  };

  return {
    get now() {
      return now;
    },
    after(ms, act) {
      made += 1;
      add({ at: now + ms, order: made, act });
    },
    runUntil(time) {
      for (let first = heap[0]; first !== undefined && first.at <= time; first = heap[0]) {
        takeFirst();
        now = first.at;
        first.act();
      }
      now = time;
    },
  };
}
