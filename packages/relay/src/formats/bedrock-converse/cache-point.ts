import type { ConverseModel } from './converse-models.ts';

/** Stands behind what is to be cached. */
export function cachePoint(
  { cache }: { cache?: '5m' | '1h' | undefined },
  model: ConverseModel,
): Record<string, unknown>[] {
  if (cache === undefined || model.cache === 'nowhere') return [];
  return [{ cachePoint: { type: 'default', ...(cache === '1h' && { ttl: cache }) } }];
}
