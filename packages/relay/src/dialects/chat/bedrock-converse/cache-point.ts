import type { ConverseModel } from './converse-models.ts';

/** Stands behind what is to be cached. None of these models caches for longer than five minutes. */
export function encodeCachePoint(
  { cache }: { cache?: '5m' | '1h' | undefined },
  model: ConverseModel,
  dropped: string[],
): Record<string, unknown>[] {
  if (cache === undefined || model.cache === 'nowhere') return [];
  if (cache === '1h') dropped.push('cache_control.ttl');
  return [{ cachePoint: { type: 'default' } }];
}
