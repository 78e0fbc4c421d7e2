import { LRUCache } from 'lru-cache';
import type { Change, Changes } from './change-subscriptions.ts';

type Options<K extends {}, V extends {}> = Omit<LRUCache.OptionsMaxLimit<K, V, unknown>, 'max'>;

/**
 * Creates an LRU map of at most `max` entries. Its memory grows with its contents; the library's own `max` would
 * reserve megabytes at once.
 */
export function createBoundedMap<K extends {}, V extends {}>(max: number, options: Options<K, V> = {}): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 });
}

/**
 * Caches the result of `load`, per server of this process, until a change of a topic is published. For lists that are
 * public and costly to build.
 */
export function cacheUntilChanged<C extends { changes: Changes }, T>(
  topic: Change['topic'] | readonly Change['topic'][],
  load: (ctx: C) => Promise<T>,
): (ctx: C) => Promise<T> {
  const cache = new WeakMap<C, { version: number; value: Promise<T> }>();
  return (ctx) => {
    const version = [topic].flat().reduce((sum, one) => sum + ctx.changes.getVersion(one), 0);
    const known = cache.get(ctx);
    if (known?.version === version) return known.value;
    const value = load(ctx);
    cache.set(ctx, { version, value });
    value.catch(() => cache.delete(ctx));
    return value;
  };
}

/**
 * Caches the results of `load` by key, at most `max` of them, until a change of a topic is published. Callers with the
 * same key get the same object, so that a public response is encoded once for all of them.
 */
export function cacheByKeyUntilChanged<C extends { changes: Changes }, T>(
  topic: Change['topic'] | readonly Change['topic'][],
  max: number,
  load: (ctx: C, key: string) => Promise<T>,
): (ctx: C, key: string) => Promise<T> {
  const loadMap = cacheUntilChanged(topic, async (_ctx: C) => createBoundedMap<string, Promise<T>>(max));
  return async (ctx, key) => {
    const values = await loadMap(ctx);
    const known = values.get(key);
    if (known !== undefined) return known;
    const value = load(ctx, key);
    values.set(key, value);
    value.catch(() => values.delete(key));
    return value;
  };
}
