/** Queue of table rows, processed with limited concurrency, also after a restart. */
import type { Change, Changes } from './change-subscriptions.ts';
import type { Timers } from './clock.ts';
import type { Log } from './log.ts';

const POLL_MS = 5_000;
const STOP_GRACE_MS = 3_000;
/** Milliseconds after which the queue wakes again for a published change that was still uncommitted. */
const COMMIT_MS = 500;

interface QueueDefinition<T> {
  /** Topic whose changes wake the queue at once. */
  topic: Change['topic'];
  /** Maximum number of concurrently processed items. */
  slots: number;
  /** Returns the lane of an item; only one item of a lane is processed at a time. */
  laneOf(item: T): string;
  /** Claims the next due item of any other lane; its next attempt is stored before this one begins. */
  claim(lanes: readonly string[], running: readonly T[]): Promise<T | undefined>;
  /** Makes one attempt within a deadline, and records its result. */
  attempt(item: T, stop: AbortSignal): Promise<void>;
}

/** Maximum number of consecutive rows that other nodes claim first. */
const LOST_RACES_MAX = 20;

/**
 * Finds and claims a due row; tries the next one when another node has just claimed it.
 * @param take stores the next attempt if the row is unchanged. @returns undefined otherwise
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

/**
 * Finds the first due row of the next lane; continues with the lane after it when another node has just claimed the
 * row.
 */
export async function findDueInTurn<Lane, D>(
  findLane: () => Promise<Lane | undefined>,
  findFirst: (lane: Lane) => Promise<D | undefined>,
): Promise<D | undefined> {
  for (let tries = 0; tries < LOST_RACES_MAX; tries += 1) {
    const lane = await findLane();
    const due = lane === undefined ? undefined : await findFirst(lane);
    if (lane === undefined || due !== undefined) return due;
  }
  return undefined;
}

/** Starts processing due items. Returns a function that stops it; running ones have a few seconds. */
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

  /** Rejects, and never throws: the queue would otherwise stop claiming items, and the claimed one would be lost. */
  const makeAttempt = async (item: T): Promise<void> => queue.attempt(item, stop.signal);
  const claimDue = async (): Promise<void> => {
    while (running.size < queue.slots && !stopped) {
      const items = [...running.keys()];
      const item = await queue.claim(
        items.map((one) => queue.laneOf(one)),
        items,
      );
      if (item === undefined) return;
      const lane = queue.laneOf(item);
      const attempt = makeAttempt(item).catch((error: unknown) =>
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
    // Not awaited: the publisher may be inside a transaction, which the queue has to wait for.
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
