import { LRUCache } from 'lru-cache';

type Options<K extends {}, V extends {}> = Omit<LRUCache.OptionsMaxLimit<K, V, unknown>, 'max'>;

/**
 * A map that forgets what was used longest ago when it has more than `max` entries. Its memory grows with what is in
 * it; a cache that is told `max` itself reserves room for all of them at once, megabytes for each.
 */
export function createBoundedMap<K extends {}, V extends {}>(
  max: number,
  options: Options<K, V> = {},
): LRUCache<K, V> {
  return new LRUCache<K, V>({ ...options, maxSize: max, sizeCalculation: () => 1 });
}
