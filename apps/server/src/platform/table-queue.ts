/** Queue of rows in a table, processed one by one, a few at a time, also after a restart. */
import type { Change, Changes } from './changes.ts';
import type { Timers } from './clock.ts';
import type { Log } from './log.ts';

const POLL_MS = 5_000;
const STOP_GRACE_MS = 3_000;
/** Milliseconds after which the queue wakes again for a published change that was still uncommitted. */
const COMMIT_MS = 500;

interface QueueDefinition<T> {
  /** A change of it wakes the queue at once. */
  topic: Change['topic'];
  /** Maximum items that are processed at a time. */
  slots: number;
  /** Returns the lane of an item; only one item of a lane is processed at a time. */
  laneOf(item: T): string;
  /** Takes the next that is due, of another lane than these; its next attempt is noted before this one begins. */
  claim(lanes: readonly string[], running: readonly T[]): Promise<T | undefined>;
  /** Tries it within a deadline, and notes what became of it. */
  attempt(item: T, stop: AbortSignal): Promise<void>;
}

/** Maximum times in a row that another node may be faster. */
const LOST_RACES_MAX = 20;

/**
 * Finds what is due and takes it, unless another node has just taken it; then the next.
 * @param take notes the next attempt, where that is still as it was found @returns undefined when it is not
 */
export async function claimFirst<D, T>(
  find: () => Promise<D | undefined>,
  take: (due: D) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (let tries = 0; tries < LOST_RACES_MAX; tries += 1) {
    const due = await find();
    if (due === undefined) return undefined;
    const taken = await take(due);
    if (taken !== undefined) return taken;
  }
  return undefined;
}

/** Takes what is due now, and from then on. Returns what stops it; what is running has a few seconds. */
export function startTableQueue<T>(
  { clock, log, changes, leases }: { clock: Timers; log: Log; changes: Changes; leases: { isShared: boolean } },
  queue: QueueDefinition<T>,
): () => Promise<void> {
  const { topic } = queue;
  const running = new Map<T, Promise<void>>();
  const stop = new AbortController();
  let looking: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  const claimDue = async (): Promise<void> => {
    while (running.size < queue.slots && !stopped) {
      const items = [...running.keys()];
      const item = await queue.claim(
        items.map((one) => queue.laneOf(one)),
        items,
      );
      if (item === undefined) return;
      const lane = queue.laneOf(item);
      const attempt = queue
        .attempt(item, stop.signal)
        .catch((error: unknown) =>
          log.error({ err: error, queue: topic, lane }, 'the outcome of an attempt could not be recorded'),
        );
      running.set(
        item,
        attempt.finally(() => {
          running.delete(item);
          wake();
        }),
      );
    }
  };
  const wake = (): void => {
    if (stopped) return;
    again = looking !== undefined;
    looking ??= claimDue()
      .catch((error: unknown) => log.error({ err: error, queue: topic }, 'a queue could not be read'))
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  };

  changes.subscribe((change) => {
    if (change.topic !== topic) return;
    // Not waited for: whoever queues something may be inside a transaction, which the queue has to wait for.
    wake();
    if (leases.isShared) clock.after(COMMIT_MS, wake).unref();
  });
  const timer = clock.every(POLL_MS, wake);
  wake();

  return async () => {
    stopped = true;
    timer.close();
    await looking;
    const giveUp = clock.after(STOP_GRACE_MS, () => stop.abort());
    await Promise.all(running.values());
    giveUp.close();
  };
}
