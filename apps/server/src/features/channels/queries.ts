import { type Kysely, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../db/schema.ts';
import { notFound } from '../../platform/app-error.ts';

/** Channels that are not deleted, with what they have earned. */
export function selectChannels(db: Kysely<Schema>) {
  return db
    .selectFrom('channel')
    .leftJoin('channel_usage', 'channel_usage.channel_id', 'channel.id')
    .where('channel.deleted_time', 'is', null)
    .selectAll('channel')
    .select((eb) => eb.fn.coalesce('channel_usage.used', sql<number>`0`).as('used'))
    .select((eb) =>
      eb
        .selectFrom('channel_key_state')
        .select((key) => key.fn.countAll<number>().as('keys_out'))
        .whereRef('channel_key_state.channel_id', '=', 'channel.id')
        .as('keys_out'),
    );
}

export type ChannelRow = Awaited<ReturnType<ReturnType<typeof selectChannels>['executeTakeFirstOrThrow']>>;

/** @throws AppError `not-found` */
export async function findChannel(ctx: Context, id: number): Promise<ChannelRow> {
  const row = await selectChannels(ctx.db.writer).where('channel.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('channel');
  return row;
}

export function inGroup(symbol: string) {
  return sql<boolean>`exists (select 1 from json_each(channel.groups) where value = ${symbol})`;
}

/** Some model's name contains the text. Lists whose JSON does not contain it are not taken apart. */
export function hasModelLike(text: string) {
  const wanted = text.toLowerCase();
  const written = JSON.stringify(wanted).slice(1, -1);
  return sql<boolean>`instr(lower(channel.models), ${written}) > 0 and exists (select 1 from json_each(channel.models) where instr(lower(value), ${wanted}) > 0)`;
}

/** A row without what tests, balances and calls change by themselves. */
export function settingsOf(row: ChannelRow): string {
  const { used, test_time, response_time, balance_micro_usd, balance_updated_time, ...settings } = row;
  return Object.values(settings).join('\u0000');
}
