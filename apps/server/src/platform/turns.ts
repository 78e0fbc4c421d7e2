/** Only so much at a time for each key: the rest waits for its turn, and not for ever. */
import { AppError } from './app-error.ts';

export type Turns = <T>(key: number, work: () => Promise<T>) => Promise<T>;

export function createTurns(atOnce: number, waitMs: number): Turns {
  const running = new Map<number, number>();
  /** In the order in which they came. */
  const waiting = new Map<number, Set<() => void>>();

  const turnOf = (key: number): Promise<void> => {
    const now = running.get(key) ?? 0;
    if (now < atOnce) {
      running.set(key, now + 1);
      return Promise.resolve();
    }
    const others = waiting.get(key) ?? new Set();
    waiting.set(key, others);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        others.delete(begin);
        reject(
          new AppError('too-many-requests', 'What you asked for before is still being read', {
            retryAfterSeconds: Math.ceil(waitMs / 1000),
          }),
        );
      }, waitMs);
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      others.add(begin);
    });
  };
  const end = (key: number): void => {
    const others = waiting.get(key);
    const [next] = others ?? [];
    if (others !== undefined && next !== undefined) {
      others.delete(next);
      return next();
    }
    waiting.delete(key);
    const left = (running.get(key) ?? 0) - 1;
    if (left > 0) running.set(key, left);
    else running.delete(key);
  };
  return async (key, work) => {
    await turnOf(key);
    try {
      return await work();
    } finally {
      end(key);
    }
  };
}
