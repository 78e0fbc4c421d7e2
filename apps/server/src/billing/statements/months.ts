/** Months of UTC as the contract names them, `2026-11-01`. */
import { getPeriodEnd, getPeriodStart } from '../../ledger/ledger.ts';

/** Records are written when a call ends, so none is late by more than what waits for a disk. */
const GRACE_SECONDS = 600;

/** UTC seconds; `to` is not in it. */
export interface Month {
  date: string;
  from: number;
  to: number;
}

/** The month that holds a moment, UTC seconds. */
export function monthAt(time: number): Month {
  const from = getPeriodStart('month', time);
  return { date: new Date(from * 1000).toISOString().slice(0, 10), from, to: getPeriodEnd('month', time) };
}

/** @param date as the contract has checked it */
export function parseMonth(date: string): Month {
  return monthAt(Date.parse(`${date}T00:00:00Z`) / 1000);
}

/** Nothing comes into it any more. `now` in UTC seconds. */
export function isMonthClosed({ to }: Month, now: number): boolean {
  return now >= to + GRACE_SECONDS;
}
