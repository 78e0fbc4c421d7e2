/** Lists the months in which a user's balance changed, from the ledger and the hourly rollup. */

import type { StatementSummary, statements } from '@switchyard/contract/billing/statements';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { getPeriodEnd, getPeriodStart } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';

type ListQuery = RouteInput<(typeof statements)['list']>['query'];

/** Lists statements, newest first by default. */
export async function listStatements(
  ctx: Pick<Context, 'db' | 'clock'>,
  userId: number,
  { page, size, order = '-date' }: ListQuery,
): Promise<Page<StatementSummary>> {
  const all = (await readSummaries(ctx, userId)).toSorted(createComparator(order));
  return { data: all.slice((page - 1) * size, page * size), page, size, total_count: all.length };
}

async function readSummaries(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  userId: number,
): Promise<StatementSummary[]> {
  const months = await monthsSinceFirst(db, userId, nowSeconds(clock));
  const { rows } = await sql<{ date: string; charged: number | null } & MonthUsage>`
    with month (date, start, stop) as materialized (
      select json_extract(value, '$[0]'), cast(json_extract(value, '$[1]') as bigint),
        cast(json_extract(value, '$[2]') as bigint)
      from json_each(${JSON.stringify(months.map(({ date, from, to }) => [date, from, to]))})
    ),
    entries as (
      select date, -sum(iif(kind = 'charge', user_amount, 0)) as charged
      from month cross join ledger_entry
      where user_id = ${userId} and created_at >= start and created_at < stop and kind <> 'key-limit' group by date
    ),
    used as (
      select date, sum(requests) as request_count, sum(prompt_tokens) as prompt_tokens,
        sum(completion_tokens) as completion_tokens, sum(duration_ms) as request_time
      from month cross join usage_hour
      where user_id = ${userId} and hour >= start and hour < stop and requests > 0 group by date
    )
    select * from entries full join used using (date)`.execute(db.reader);
  return rows.map((row) => ({
    date: row.date,
    request_count: row.request_count ?? 0,
    quota: toPoints(row.charged ?? 0),
    prompt_tokens: row.prompt_tokens ?? 0,
    completion_tokens: row.completion_tokens ?? 0,
    request_time: row.request_time ?? 0,
  }));
}

/** Null when the balance changed without any call. */
interface MonthUsage {
  request_count: number | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  request_time: number | null;
}

async function monthsSinceFirst(db: Database, userId: number, now: number): Promise<Month[]> {
  const { rows } = await sql<{ first: number | null }>`select min(first) as first from (
      select min(created_at) as first from ledger_entry where user_id = ${userId}
      union all select min(hour) from usage_hour where user_id = ${userId}
    ) as moved`.execute(db.reader);
  const months: Month[] = [];
  for (let start = rows[0]?.first ?? Infinity; start <= now; start = months.at(-1)?.to ?? Infinity)
    months.push(monthAt(start));
  return months;
}

function createComparator(order: string): (a: StatementSummary, b: StatementSummary) => number {
  const columns = [...order.split(','), '-date'];
  return (a, b) => {
    for (const column of columns) {
      const descending = column.startsWith('-');
      const name = (descending ? column.slice(1) : column) as keyof StatementSummary;
      if (a[name] !== b[name]) return a[name] < b[name] === descending ? 1 : -1;
    }
    return 0;
  };
}

/** UTC months as the contract formats them, `2026-11-01`. */

/**
 * Seconds after a month's end for late records: they are written when a call ends, and are only delayed by a disk
 * failure.
 */
const GRACE_SECONDS = 600;

/** UTC seconds; `to` is exclusive. */
export interface Month {
  date: string;
  from: number;
  to: number;
}

/** Returns the month that contains a time in UTC seconds. */
export function monthAt(time: number): Month {
  const from = getPeriodStart('month', time);
  return { date: new Date(from * 1000).toISOString().slice(0, 10), from, to: getPeriodEnd('month', time) };
}

/** @param date validated by the contract */
export function parseMonth(date: string): Month {
  return monthAt(Date.parse(`${date}T00:00:00Z`) / 1000);
}

/** Returns whether no more records can be added to the month. `now` is UTC seconds. */
export function isMonthClosed({ to }: Month, now: number): boolean {
  return now >= to + GRACE_SECONDS;
}
