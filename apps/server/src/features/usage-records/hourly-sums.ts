/**
 * Counts and sums from the hourly roll-up instead of the records: exact, and as fast for a year as for a day. Only
 * the hours that a time range cuts are added up from the records.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { NOBODY, type RecordFilter } from './filter.ts';
import { firstCall, type Sums, sumRecords } from './record-queries.ts';

const HOUR = 3600;

/** The roll-up knows time, user, model and channel of calls. */
export function isInRollUp(filter: RecordFilter): boolean {
  const { keyIds, requestId, isStream, group, address } = filter;
  return [keyIds, requestId, isStream, group, address].every((value) => value === undefined);
}

function whereHour(filter: RecordFilter): RawBuilder<boolean> {
  const conditions: RawBuilder<boolean>[] = [sql`true`];
  if (filter.userId !== undefined) conditions.push(sql`user_id = ${filter.userId}`);
  if (filter.model !== undefined) conditions.push(sql`model = ${filter.model}`);
  if (filter.channelId !== undefined) conditions.push(sql`channel_id = ${filter.channelId}`);
  return sql.join(conditions, sql` and `);
}

/** Sums over every call that a filter matches whose fields the roll-up knows. */
export async function sumHours(ctx: Context, filter: RecordFilter): Promise<Sums> {
  const first = (await firstCall.execute(ctx.db.reader)).rows[0];
  if (first === undefined) return noSums;
  const { type: _any, ...calls } = filter;
  const start = Math.max(filter.start ?? 0, first.created_at);
  const end = filter.end ?? Number.MAX_SAFE_INTEGER - HOUR;
  const from = Math.ceil(start / HOUR) * HOUR;
  const to = Math.floor((end + 1) / HOUR) * HOUR;
  if (from >= to) return sumOf(await sumRecords({ ...calls, start, end }).execute(ctx.db.reader));

  const whole = sql<Sums>`select coalesce(sum(requests), 0) as requests, coalesce(sum(errors), 0) as errors,
      coalesce(sum(quota), 0) as quota, coalesce(sum(prompt_tokens), 0) as prompt_tokens,
      coalesce(sum(completion_tokens), 0) as completion_tokens
    from usage_hour where hour >= ${from} and hour < ${to} and ${whereHour(filter)}`;
  const parts = [await whole.execute(ctx.db.reader)];
  if (start < from) parts.push(await sumRecords({ ...calls, start, end: from - 1 }).execute(ctx.db.reader));
  if (filter.end !== undefined && to <= end)
    parts.push(await sumRecords({ ...calls, start: to, end }).execute(ctx.db.reader));
  return parts.map(sumOf).reduce(add);
}

/** So few hours are looked through one by one; more of them hold a page's worth near the newest. */
const FEW_HOURS = 24;

/** Shrinks the time range to the hours in which a model or channel was called at all. */
export async function narrow(ctx: Context, filter: RecordFilter): Promise<RecordFilter> {
  if (filter.model === undefined && filter.channelId === undefined) return filter;
  const from = (filter.start ?? 0) - HOUR;
  const to = filter.end ?? Number.MAX_SAFE_INTEGER;
  const { rows } = await sql<{ hour: number }>`select distinct hour from usage_hour
    where hour > ${from} and hour <= ${to} and ${whereHour(filter)} order by hour`.execute(ctx.db.reader);
  const first = rows[0]?.hour;
  const last = rows.at(-1)?.hour;
  if (first === undefined || last === undefined) return { ...filter, userId: NOBODY };
  return {
    ...filter,
    start: Math.max(filter.start ?? 0, first),
    end: Math.min(to, last + HOUR - 1),
    ...(rows.length <= FEW_HOURS ? { hours: rows.map(({ hour }) => hour) } : {}),
  };
}

const noSums: Sums = { requests: 0, errors: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0 };

const sumOf = (result: { rows: Sums[] }): Sums => result.rows[0] ?? noSums;

function add(a: Sums, b: Sums): Sums {
  return {
    requests: a.requests + b.requests,
    errors: a.errors + b.errors,
    quota: a.quota + b.quota,
    prompt_tokens: a.prompt_tokens + b.prompt_tokens,
    completion_tokens: a.completion_tokens + b.completion_tokens,
  };
}
