/** Quota is counted in whole points; by default 500,000 points are one US dollar. */
import { z } from 'zod';

export { type Points, toPoints } from './points.ts';

export const POINTS_PER_USD = 500_000;

/** Balance or change of a balance; negative for a debt or deduction. */
export const points = z.number().int().brand<'Points'>();

/** Non-negative points: a limit, a quota, a cost. */
export const pointsAmount = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).brand<'Points'>();
