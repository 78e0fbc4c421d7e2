/**
 * Queries that find records among millions. Records are written in time order, which is (created_at, id); two indexes
 * have it, one for all users and one for each user.
 */
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Schema } from '../../schema.ts';
import type { RecordFilter, RecordRange } from './record-filter.ts';

export interface RecordRow extends Selectable<Schema['usage_record']> {
  username: string;
  token_name: string;
  channel_name: string;
}

/** Condition for records that are not calls. An index has the same condition, so both texts must be equal. */
export const isNotCall = sql<boolean>`r.type not in ('consume', 'error')`;
/**
 * Condition of an index, too. Inside a string of JSON, quotation marks are escaped, so the text cannot match there.
 */
const hasOtherModel = sql<boolean>`instr(r.detail, '"served_model":"') > 0`;
export const isCall = sql<boolean>`r.type in ('consume', 'error')`;

/** Returns the conditions on `usage_record r`. */
function buildRecordCondition(filter: RecordFilter): RawBuilder<boolean> {
  const { within } = filter;
  if (within === undefined) return buildFieldConditions(filter);
  return sql`r.id in (${selectIdsWithin(filter, within)}) and ${buildFieldConditions(filter, 'by id')}`;
}

/** @param placed how the rows are found, if not by time or user */
function buildFieldConditions(filter: RecordFilter, placed?: 'by type' | 'by id'): RawBuilder<boolean> {
  const { type, start, end, model, userId, channelId, keyIds, requestId, isStream, group, address } = filter;
  const conditions: RawBuilder<boolean>[] = [];
  // The plus keeps the planner from using this index where another one finds fewer rows.
  const isOther = type !== undefined && type !== 'consume' && type !== 'error';
  const isFew = placed !== undefined || requestId !== undefined || isOther;
  const user = isFew ? sql`+r.user_id` : sql`r.user_id`;
  if (requestId !== undefined) conditions.push(sql`r.request_id = ${requestId}`);
  if (userId !== undefined) conditions.push(sql`${user} = ${userId}`);
  const time = placed === 'by id' ? sql`+r.created_at` : sql`r.created_at`;
  if (start !== undefined) conditions.push(sql`${time} >= ${start}`);
  if (end !== undefined) conditions.push(sql`${time} <= ${end}`);
  if (type !== undefined) conditions.push(sql`r.type = ${type}`);
  if (isOther) conditions.push(isNotCall);
  if (model !== undefined) conditions.push(sql`r.model = ${model}`);
  if (channelId !== undefined) conditions.push(sql`r.channel_id = ${channelId}`);
  if (keyIds !== undefined)
    conditions.push(sql`r.api_key_id in (select cast(value as bigint) from json_each(${JSON.stringify(keyIds)}))`);
  if (isStream !== undefined) conditions.push(sql`r.is_stream = ${Number(isStream)}`);
  if (filter.isOtherModel === true) conditions.push(hasOtherModel);
  if (group !== undefined) conditions.push(sql`r.group_symbol = ${group}`);
  if (address !== undefined) conditions.push(sql`r.address = ${address}`);
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/**
 * Returns the ids of records within ranges. An index finds each range, and the few records that are not calls. Each
 * range's ids form one value, so that no planner compares all records with all ranges.
 */
function selectIdsWithin(filter: RecordFilter, ranges: readonly RecordRange[]): RawBuilder<unknown> {
  const asJson = (list: readonly RecordRange[]): string =>
    JSON.stringify(list.map(({ from, to, userId }) => [from, to, userId ?? null]));
  const part = (nth: number) => sql`cast(json_extract(x.value, ${sql.lit(`$[${nth}]`)}) as bigint)`;
  const matching = buildFieldConditions(filter, 'by id');
  const idsIn = (list: readonly RecordRange[], isOwner: RawBuilder<unknown>) =>
    sql`select cast(found.value as bigint) as id from json_each(${asJson(list)}) x
      cross join json_each('[' || coalesce((select string_agg(cast(r.id as text), ',') from usage_record r
        where ${isOwner} and r.created_at between ${part(0)} and ${part(1)} and ${matching}), '') || ']') found`;
  return sql`${idsIn(
    ranges.filter(({ userId }) => userId === undefined),
    sql`true`,
  )}
    union all ${idsIn(
      ranges.filter(({ userId }) => userId !== undefined),
      sql`r.user_id = ${part(2)}`,
    )}
    union all select r.id from usage_record r where ${isNotCall} and ${matching}`;
}

const joinNames = sql`
  select r.*, coalesce(u.username, '') as username, coalesce(k.name, '') as token_name,
    coalesce(c.name, '') as channel_name
  from usage_record r
  left join "user" u on u.id = r.user_id
  left join api_key k on k.id = r.api_key_id
  left join channel c on c.id = r.channel_id`;

const orderColumns: Readonly<Record<string, RawBuilder<unknown>>> = {
  channel_id: sql`r.channel_id`,
  user_id: sql`r.user_id`,
  token_name: sql`(select name from api_key where id = r.api_key_id)`,
  model_name: sql`r.model`,
  type: sql`r.type`,
  source_ip: sql`r.address`,
  quota: sql`r.quota`,
  request_time: sql`r.duration_ms`,
};

/**
 * Returns the order for a comma-separated list of columns that the contract has validated; `id` and `created_at` mean
 * time order.
 */
function orderBy(order: string): RawBuilder<unknown> {
  const parts = order.split(',').map((part) => {
    const isDescending = part.startsWith('-');
    const direction = isDescending ? sql`desc` : sql`asc`;
    const column = orderColumns[isDescending ? part.slice(1) : part];
    return column === undefined
      ? sql`r.created_at ${direction}, r.id ${direction}`
      : // Missing values come first in ascending order, and last in descending order.
        sql`${column} ${direction} nulls ${isDescending ? sql`last` : sql`first`}`;
  });
  const isByTime = order.split(',').some((part) => /^-?(id|created_at)$/.test(part));
  return sql.join(isByTime ? parts : [...parts, sql`r.created_at desc`, sql`r.id desc`]);
}

/** Selects one page. The rows are read only once their ids are known, so that skipping uses the index alone. */
export function selectPage(filter: RecordFilter, order: string, size: number, offset: number) {
  return sql<RecordRow>`${joinNames}
    join (select r.id, r.created_at, row_number() over () as place from
      (select r.id, r.created_at from usage_record r where ${buildRecordCondition(filter)} order by ${orderBy(order)} limit ${size} offset ${offset}) r
    ) page on page.id = r.id and page.created_at = r.created_at
    order by page.place`;
}

/** Selects the newest rows after a position in time order. */
export function selectNewestAfter(
  filter: RecordFilter,
  after: { created_at: number; id: number } | undefined,
  size: number,
) {
  const cursor = after === undefined ? sql`true` : sql`(r.created_at, r.id) < (${after.created_at}, ${after.id})`;
  return sql<RecordRow>`${joinNames}
    where ${buildRecordCondition(filter)} and ${cursor} order by r.created_at desc, r.id desc limit ${size}`;
}

export function selectRecord(id: number, userId: number | undefined) {
  const owner = userId === undefined ? sql`true` : sql`r.user_id = ${userId}`;
  return sql<RecordRow>`${joinNames} where r.id = ${id} and ${owner}`;
}

export interface CallTotals {
  requests: number;
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
}

/** Sums up calls from the records themselves. */
export function sumRecords(filter: RecordFilter) {
  return sql<CallTotals>`select
      count(*) filter (where r.type = 'consume') as requests,
      count(*) filter (where r.type = 'error') as errors,
      coalesce(sum(r.quota), 0) as quota,
      coalesce(sum(iif(r.type = 'consume', r.prompt_tokens, 0)), 0) as prompt_tokens,
      coalesce(sum(iif(r.type = 'consume', r.completion_tokens, 0)), 0) as completion_tokens
    from usage_record r where ${buildRecordCondition(filter)} and ${isCall}`;
}

export function countNonCalls(filter: RecordFilter) {
  return sql<{ count: number }>`select count(*) as count from usage_record r
    where ${buildFieldConditions(filter, 'by type')} and ${isNotCall}`;
}

/** Selects the time of the oldest call. Calls before it were deleted, although the hourly sums include them. */
export const selectFirstCall = sql<{ created_at: number }>`select r.created_at from usage_record r
  where ${isCall} order by r.created_at limit 1`;
