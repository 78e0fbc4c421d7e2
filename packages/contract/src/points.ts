/** Quota points without Zod, for worker threads that start often. */
import type { z } from 'zod';

/** Whole number of quota points; `points` in `money.ts` validates it. */
export type Points = number & z.core.$brand<'Points'>;

export function toPoints(value: number): Points {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is not a whole number of points`);
  return value as Points;
}
