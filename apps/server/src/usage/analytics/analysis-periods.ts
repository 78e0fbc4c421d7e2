/**
 * Computes the starts of hours, days, weeks and months for a viewer, with a constant offset from UTC for the whole
 * period.
 */
import type { TimeStep } from '@switchyard/contract/usage/analytics';

const QUARTER = 900;
const HOUR = 3_600;
const DAY = 86_400;
/** 1 January 1970 was a Thursday. */
const FIRST_MONDAY = 4 * DAY;

export interface Period {
  /** UTC seconds, a multiple of a quarter of an hour. */
  from: number;
  /** Exclusive, a multiple of a quarter of an hour. */
  to: number;
  /** Seconds by which the previous period is earlier: the length of the period. */
  length: number;
}

/**
 * Rounds a period to whole quarters of an hour. The previous period begins one full length earlier, and ends after as
 * much of it as has passed of the present one.
 */
export function toPeriod(start: number, end: number, now: number): Period {
  const from = Math.floor(start / QUARTER) * QUARTER;
  const until = (Math.floor(end / QUARTER) + 1) * QUARTER;
  const passed = (Math.floor(now / QUARTER) + 1) * QUARTER;
  return { from, to: Math.max(from, Math.min(until, passed)), length: until - from };
}

/**
 * Returns the starts of steps in UTC seconds; the first is that of the period. @param most limit; at most one more is
 * returned
 */
export function listSteps(
  { from, to }: Pick<Period, 'from' | 'to'>,
  step: TimeStep,
  utcOffset: number,
  most: number,
): number[] {
  const shift = utcOffset * 60;
  const steps: number[] = [from];
  for (
    let next = findNextStep(from + shift, step);
    next - shift < to && steps.length <= most;
    next = findNextStep(next, step)
  )
    steps.push(next - shift);
  return steps;
}

/** Returns the first start of a step after a local time. */
function findNextStep(local: number, step: TimeStep): number {
  switch (step) {
    case 'hour':
      return findNextMultiple(local, HOUR, 0);
    case 'day':
      return findNextMultiple(local, DAY, 0);
    case 'week':
      return findNextMultiple(local, 7 * DAY, FIRST_MONDAY);
    case 'month': {
      const date = new Date(local * 1000);
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
    }
  }
}

const findNextMultiple = (local: number, length: number, first: number): number =>
  (Math.floor((local - first) / length) + 1) * length + first;
