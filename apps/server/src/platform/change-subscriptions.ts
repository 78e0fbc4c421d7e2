/** Notifies in-memory state of changed rows. A publisher waits until every subscriber has caught up, or failed. */
import type { Timer, Timers } from './clock.ts';
import { createRepeatedErrorLog, type Log } from './log.ts';

export const TOPICS = [
  'api-keys',
  'catalogue',
  'channels',
  'content-safety',
  'data-keys',
  'deliveries',
  'mail',
  'models',
  'orders',
  'prices',
  'settings',
  'tasks',
  'usage-days',
  'user-groups',
  'users',
  'works',
] as const;

export type Topic = (typeof TOPICS)[number];
/** Topics that wake queues, which each node polls by itself. */
export const QUEUE_TOPICS: ReadonlySet<Topic> = new Set(['deliveries', 'mail', 'tasks', 'works']);
const TOPICS_WITH_IDS = ['api-keys', 'channels', 'orders', 'users'] as const;
type TopicWithIds = (typeof TOPICS_WITH_IDS)[number];

export type Change =
  /** Without ids: any row. */
  { topic: TopicWithIds; ids?: readonly number[] } | { topic: Exclude<Topic, TopicWithIds> };

/**
 * Maximum ids of a change. A subscriber reads them with one query, whose values are limited, and other nodes get them in
 * one notification, for which PostgreSQL accepts 8,000 bytes.
 */
const IDS_MAX = 500;

/** @param ids null for any row; for some topics always any */
export function createChange(topic: Topic, ids: readonly number[] | null): Change {
  const withIds = TOPICS_WITH_IDS.find((one) => one === topic);
  return withIds === undefined || ids === null ? { topic } : { topic: withIds, ids };
}

function splitChange(change: Change): readonly Change[] {
  if (!('ids' in change) || change.ids === undefined) return [change];
  const { topic, ids } = change;
  const pieces: Change[] = [];
  for (let first = 0; first < ids.length; first += IDS_MAX)
    pieces.push({ topic, ids: ids.slice(first, first + IDS_MAX) });
  return pieces;
}

type Subscriber = (change: Change) => Promise<void> | void;

export interface Changes {
  /** Increases with each change of the topic, before subscribers are notified. */
  getVersion(topic: Topic): number;
  /**
   * Never rejects, because the rows are committed: a caller that gets an error would repeat the change. What a
   * subscriber fails to load is loaded again until it succeeds.
   */
  publish(change: Change): Promise<void>;
  /** Handles a change that another node published. @throws what a subscriber throws */
  receive(change: Change): Promise<void>;
  /**
   * Reloads everything soon, because committed rows may not have been published. Wakes no queue: on a full disk, its
   * failure would be the reason for the next reload.
   */
  reloadAll(): void;
  subscribe(subscriber: Subscriber): void;
  /** @param publish sends later changes to other nodes */
  connect(publish: (change: Change) => Promise<void>): void;
  close(): void;
}

const RELOAD_MS = 1_000;
const loadedTopics = TOPICS.filter((topic) => !QUEUE_TOPICS.has(topic));

export function createChanges(timers: Timers, log: Log): Changes {
  const logError = createRepeatedErrorLog(log, timers);
  const subscribers: Subscriber[] = [];
  const versions = new Map<Topic, number>();
  const pending = new Map<Topic, Promise<unknown>>();
  let publishToNodes = async (_change: Change): Promise<void> => {};
  /** Topics that are reloaded when the timer ends. */
  const missed = new Set<Topic>();
  let reloading: Timer | undefined;
  let isClosed = false;
  const versionOf = (topic: Topic): number => versions.get(topic) ?? 0;
  // Changes of one topic are serialized: the result for an older change must not overwrite that for a newer one.
  const apply = (change: Change): Promise<void> => {
    const { topic } = change;
    versions.set(topic, versionOf(topic) + 1);
    const before = pending.get(topic) ?? Promise.resolve();
    const notified = before.then(async () => {
      await Promise.all(subscribers.map(async (subscriber) => subscriber(change)));
    });
    pending.set(
      topic,
      notified.catch(() => {}),
    );
    return notified;
  };
  const applyOrRetry = (change: Change): Promise<void> =>
    apply(change).catch((error: unknown) => {
      logError({ err: error, topic: change.topic }, 'a committed change could not be loaded; retrying');
      reloadSoon([change.topic]);
    });
  const reloadSoon = (topics: readonly Topic[]): void => {
    for (const topic of topics) missed.add(topic);
    if (isClosed) return;
    reloading ??= timers.after(RELOAD_MS, () => {
      reloading = undefined;
      const due = [...missed];
      missed.clear();
      for (const topic of due) void applyOrRetry({ topic });
    });
  };
  return {
    getVersion: versionOf,
    receive: apply,
    async publish(change) {
      // One at a time: each holds a connection and the lock of the topic's version.
      for (const piece of splitChange(change)) await Promise.all([applyOrRetry(piece), publishToNodes(piece)]);
    },
    reloadAll: () => reloadSoon(loadedTopics),
    subscribe(subscriber) {
      subscribers.push(subscriber);
    },
    connect(publish) {
      publishToNodes = publish;
    },
    close() {
      isClosed = true;
      reloading?.close();
    },
  };
}
