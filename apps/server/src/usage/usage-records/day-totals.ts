/**
 * Daily totals of whole days that match a filter. Past days do not change, so the last results are cached: the list,
 * its count, the totals, the next page and every refresh need the same.
 */

import { type RawBuilder, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import type { RecordFilter } from './record-filter.ts';
import type { CallTotals } from './record-queries.ts';

/** Time range in UTC seconds; `to` is exclusive. */
export interface TimeRange {
  from: number;
  to: number;
}

export interface DayTotals extends CallTotals {
  day: number;
}

const CACHED_MAX = 200;
const dayTotalsCaches = new WeakMap<Database, LRUCache<string, Promise<readonly DayTotals[]>>>();

function getCache(db: Database): LRUCache<string, Promise<readonly DayTotals[]>> {
  const known = dayTotalsCaches.get(db);
  if (known !== undefined) return known;
  const cache = new LRUCache<string, Promise<readonly DayTotals[]>>({ max: CACHED_MAX });
  dayTotalsCaches.set(db, cache);
  return cache;
}

/**
 * Returns the totals, newest first, without days that have no match. The filter's own time and type are ignored. Each
 * change of daily sums is published to all nodes, which invalidates the cache.
 */
export function readDayTotals(
  { db, changes }: Pick<Context, 'db' | 'changes'>,
  filter: RecordFilter,
  days: TimeRange,
): Promise<readonly DayTotals[]> {
  const cache = getCache(db);
  const { start: _start, end: _end, type: _type, ...fields } = filter;
  const name = JSON.stringify([changes.getVersion('usage-days'), fields, days]);
  const known = cache.get(name);
  if (known !== undefined) return known;
  const reading = queryDayTotals(db, filter, days);
  cache.set(name, reading);
  reading.catch(() => cache.delete(name));
  return reading;
}

async function queryDayTotals(db: Database, filter: RecordFilter, days: TimeRange): Promise<readonly DayTotals[]> {
  const { rows } = await sql<DayTotals>`select day, sum(requests) as requests, sum(errors) as errors,
      sum(quota) as quota, sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens
    from usage_day where ${buildDayCondition(filter, days)} group by day order by day desc`.execute(db.reader);
  return rows;
}

/** Returns the conditions on `usage_day`, which supports every filter except the request id and other models. */
export function buildDayCondition(filter: RecordFilter, { from, to }: TimeRange): RawBuilder<boolean> {
  const { userId, channelId, model, keyIds, group, isStream, address } = filter;
  const conditions = [sql<boolean>`day >= ${from}`, sql<boolean>`day < ${to}`];
  if (userId !== undefined) conditions.push(sql`user_id = ${userId}`);
  if (channelId !== undefined) conditions.push(sql`channel_id = ${channelId}`);
  if (model !== undefined) conditions.push(sql`model = ${model}`);
  if (keyIds !== undefined)
    conditions.push(sql`api_key_id in (select cast(value as bigint) from json_each(${JSON.stringify(keyIds)}))`);
  if (group !== undefined) conditions.push(sql`group_symbol = ${group}`);
  if (isStream !== undefined) conditions.push(sql`is_stream = ${Number(isStream)}`);
  if (address !== undefined) conditions.push(sql`address = ${address}`);
  return sql.join(conditions, sql` and `);
}
