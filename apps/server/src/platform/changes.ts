/** Tells the in-memory state which rows have changed. A publisher waits until every subscriber has caught up. */
export type Change =
  | { topic: 'api-keys'; ids: readonly number[] }
  | { topic: 'users'; ids: readonly number[] }
  | { topic: 'orders'; ids: readonly number[] }
  /** Without ids: any of them. */
  | { topic: 'channels'; ids?: readonly number[] }
  | {
      topic:
        | 'catalogue'
        | 'content-safety'
        | 'data-keys'
        | 'user-groups'
        | 'mail'
        | 'deliveries'
        | 'models'
        | 'prices'
        | 'settings'
        | 'tasks'
        | 'works';
    };

type Subscriber = (change: Change) => Promise<void> | void;

export interface Changes {
  /** Grows with each change of the topic, before anybody hears of it. */
  versionOf(topic: Change['topic']): number;
  publish(change: Change): Promise<void>;
  subscribe(subscriber: Subscriber): void;
}

export function createChanges(): Changes {
  const subscribers: Subscriber[] = [];
  const versions = new Map<Change['topic'], number>();
  const versionOf = (topic: Change['topic']): number => versions.get(topic) ?? 0;
  return {
    versionOf,
    async publish(change) {
      versions.set(change.topic, versionOf(change.topic) + 1);
      await Promise.all(subscribers.map(async (subscriber) => subscriber(change)));
    },
    subscribe(subscriber) {
      subscribers.push(subscriber);
    },
  };
}
