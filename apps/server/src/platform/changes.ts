/** Tells the in-memory state which rows have changed. A publisher waits until every subscriber has caught up. */
export type Change =
  | { topic: 'api-keys'; ids: readonly number[] }
  | { topic: 'users'; ids: readonly number[] }
  | { topic: 'user-groups' | 'channels' | 'prices' | 'settings' };

type Subscriber = (change: Change) => Promise<void> | void;

export interface Changes {
  publish(change: Change): Promise<void>;
  subscribe(subscriber: Subscriber): void;
}

export function createChanges(): Changes {
  const subscribers: Subscriber[] = [];
  return {
    async publish(change) {
      await Promise.all(subscribers.map(async (subscriber) => subscriber(change)));
    },
    subscribe(subscriber) {
      subscribers.push(subscriber);
    },
  };
}
