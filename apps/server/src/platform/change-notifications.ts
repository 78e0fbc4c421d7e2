/** Notifies in-memory state of changed rows. A publisher waits until every subscriber has caught up. */
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
  publish(change: Change): Promise<void>;
  /** Handles a change that another node published. */
  receive(change: Change): Promise<void>;
  subscribe(subscriber: Subscriber): void;
  /**
   * @param publish sends later changes to other nodes
   * @param missed called with a published change that a subscriber failed to load
   */
  connect(publish: (change: Change) => Promise<void>, missed: (change: Change) => void): void;
}

export function createChanges(): Changes {
  const subscribers: Subscriber[] = [];
  const versions = new Map<Topic, number>();
  const pending = new Map<Topic, Promise<unknown>>();
  let publishToNodes = async (_change: Change): Promise<void> => {};
  let reportMissed = (_change: Change): void => {};
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
  const publishPiece = async (change: Change): Promise<void> => {
    const handled = apply(change).catch((error: unknown) => {
      reportMissed(change);
      throw error;
    });
    await Promise.all([handled, publishToNodes(change)]);
  };
  return {
    getVersion: versionOf,
    receive: apply,
    async publish(change) {
      // One at a time: each holds a connection and the lock of the topic's version. All are published before an error.
      const failed: unknown[] = [];
      for (const piece of splitChange(change))
        await publishPiece(piece).catch((error: unknown) => {
          failed.push(error);
        });
      if (failed.length > 0) throw failed[0];
    },
    subscribe(subscriber) {
      subscribers.push(subscriber);
    },
    connect(publish, missed) {
      publishToNodes = publish;
      reportMissed = missed;
    },
  };
}
