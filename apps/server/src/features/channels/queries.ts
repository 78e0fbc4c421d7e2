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

/** Some model's name contains the text. */
export function hasModelLike(text: string) {
  return sql<boolean>`exists (select 1 from json_each(channel.models) where instr(lower(value), ${text.toLowerCase()}) > 0)`;
}
