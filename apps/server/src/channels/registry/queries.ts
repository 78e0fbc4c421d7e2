import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import { notFound } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';

/** JSON list of the ids of its keys that are out of use. */
const disabledKeyIds = sql<string>`(select json_group_array(key_id order by key_id) from channel_key_state where channel_id = channel.id)`;

/** Channels that are not deleted, with what they have earned. */
export function selectChannels(db: Kysely<Schema>) {
  return db
    .selectFrom('channel')
    .leftJoin('channel_usage', 'channel_usage.channel_id', 'channel.id')
    .where('channel.deleted_time', 'is', null)
    .selectAll('channel')
    .select((eb) => eb.fn.coalesce('channel_usage.used', sql<number>`0`).as('used'))
    .select(disabledKeyIds.as('keys_out'));
}

export type ChannelRow = Awaited<ReturnType<ReturnType<typeof selectChannels>['executeTakeFirstOrThrow']>>;

/** @param db of the transaction that this belongs to. @throws AppError `not-found` */
export async function findChannel(ctx: Context, id: number, db: Kysely<Schema> = ctx.db.writer): Promise<ChannelRow> {
  const row = await selectChannels(db).where('channel.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('channel');
  return row;
}

export function isInGroup(symbol: string) {
  return sql<boolean>`exists (select 1 from json_each(channel.groups) where value = ${symbol})`;
}

/** Signs that stand between the names of a JSON list; any other text that it contains is a name's. */
const BETWEEN_NAMES = /^[[\],]+$/;

/** Some model's name contains the text. Lists are not taken apart where their JSON tells it. */
export function hasModelContaining(text: string) {
  const wanted = text.toLowerCase();
  const written = JSON.stringify(wanted).slice(1, -1);
  const isInJson = sql<boolean>`instr(lower(channel.models), ${written}) > 0`;
  if (!BETWEEN_NAMES.test(wanted)) return isInJson;
  return sql<boolean>`exists (select 1 from json_each(channel.models) where instr(lower(value), ${wanted}) > 0)`;
}

/** Columns that tests, balance checks and calls change by themselves. */
const selfChangingColumns: ReadonlySet<string> = new Set([
  'used',
  'test_time',
  'response_time',
  'balance_micro_usd',
  'balance_updated_time',
] satisfies (keyof ChannelRow)[]);

/** Returns whether two readings of a channel, by the same query, have the same settings. */
export function hasSameSettings(one: ChannelRow, other: ChannelRow): boolean {
  const before = Object.values(other);
  return Object.entries(one).every(([name, value], at) => value === before[at] || selfChangingColumns.has(name));
}
