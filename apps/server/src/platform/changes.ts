/** Tells the in-memory state which rows have changed. A publisher waits until every subscriber has caught up. */
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
  /** Without ids: any of them. */
  { topic: TopicWithIds; ids?: readonly number[] } | { topic: Exclude<Topic, TopicWithIds> };

/** @param ids null: any of them; of some topics it is always any */
export function createChange(topic: Topic, ids: readonly number[] | null): Change {
  const withIds = TOPICS_WITH_IDS.find((one) => one === topic);
  return withIds === undefined || ids === null ? { topic } : { topic: withIds, ids };
}

type Subscriber = (change: Change) => Promise<void> | void;

export interface Changes {
  /** Grows with each change of the topic, before anybody hears of it. */
  getVersion(topic: Topic): number;
  publish(change: Change): Promise<void>;
  /** Tells of what another node published. */
  receive(change: Change): Promise<void>;
  subscribe(subscriber: Subscriber): void;
  /**
   * @param tell brings what is published here to other nodes from now on
   * @param missed is told of what was published here and could not be read
   */
  connect(tell: (change: Change) => Promise<void>, missed: (change: Change) => void): void;
}

export function createChanges(): Changes {
  const subscribers: Subscriber[] = [];
  const versions = new Map<Topic, number>();
  const tellings = new Map<Topic, Promise<unknown>>();
  let tellOthers = async (_change: Change): Promise<void> => {};
  let tellMissed = (_change: Change): void => {};
  const versionOf = (topic: Topic): number => versions.get(topic) ?? 0;
  // Of one topic one after the other: what was read for an older change must not overwrite what a newer one found.
  const hear = (change: Change): Promise<void> => {
    const { topic } = change;
    versions.set(topic, versionOf(topic) + 1);
    const before = tellings.get(topic) ?? Promise.resolve();
    const told = before.then(async () => {
      await Promise.all(subscribers.map(async (subscriber) => subscriber(change)));
    });
    tellings.set(
      topic,
      told.catch(() => {}),
    );
    return told;
  };
  return {
    getVersion: versionOf,
    receive: hear,
    async publish(change) {
      const heard = hear(change).catch((error: unknown) => {
        tellMissed(change);
        throw error;
      });
      await Promise.all([heard, tellOthers(change)]);
    },
    subscribe(subscriber) {
      subscribers.push(subscriber);
    },
    connect(tell, missed) {
      tellOthers = tell;
      tellMissed = missed;
    },
  };
}
