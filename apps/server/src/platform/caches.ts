import { LRUCache } from 'lru-cache';
import type { Change, Changes } from './changes.ts';

type Options<K extends {}, V extends {}> = Omit<LRUCache.OptionsMaxLimit<K, V, unknown>, 'max'>;

/**
 * A map that forgets what was used longest ago when it has more than `max` entries. Its memory grows with what is in
 * it; a cache that is told `max` itself reserves room for all of them at once, megabytes for each.
 */
export function createBoundedMap<K extends {}, V extends {}>(max: number, options: Options<K, V> = {}): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 });
}

/**
 * Keeps what `load` answered, for each server of this process, until a change of a topic is published. For lists
 * that anybody may ask for and that are costly to build.
 */
export function cacheUntilChanged<C extends { changes: Changes }, T>(
  topic: Change['topic'] | readonly Change['topic'][],
  load: (ctx: C) => Promise<T>,
): (ctx: C) => Promise<T> {
  const kept = new WeakMap<C, { version: number; value: Promise<T> }>();
  return (ctx) => {
    const version = [topic].flat().reduce((sum, one) => sum + ctx.changes.getVersion(one), 0);
    const known = kept.get(ctx);
    if (known?.version === version) return known.value;
    const value = load(ctx);
    kept.set(ctx, { version, value });
    value.catch(() => kept.delete(ctx));
    return value;
  };
}
