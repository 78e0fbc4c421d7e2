/** Browsers in which a user has signed in. Password guesses from other browsers do not lock them out. */
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Schema } from '../../schema.ts';

const DEVICES_MAX = 20;
/** Minimum seconds between writes of `last_seen_time`. */
const SEEN_INTERVAL_SECONDS = 86_400;

/** @param userId undefined for an unknown name, whose check takes the same time */
export async function isKnownDevice(ctx: Context, userId: number | undefined, deviceHash: string): Promise<boolean> {
  return (await lastSeen(ctx, userId ?? 0, deviceHash)) !== undefined;
}

/** @returns whether the browser was known to this account before, is its first one, or another one */
export async function rememberDevice(
  ctx: Context,
  userId: number,
  deviceHash: string,
): Promise<'known' | 'first' | 'another'> {
  const now = nowSeconds(ctx.clock);
  const seen = await lastSeen(ctx, userId, deviceHash);
  if (seen !== undefined && now - seen < SEEN_INTERVAL_SECONDS) return 'known';
  return ctx.db.writer.transaction().execute(async (trx) => {
    const others = await trx
      .selectFrom('known_device')
      .select('device_hash')
      .where('user_id', '=', userId)
      .where('device_hash', '<>', deviceHash)
      .orderBy('last_seen_time', 'desc')
      .execute();
    const tooMany = others.slice(DEVICES_MAX - 1).map(({ device_hash }) => device_hash);
    if (tooMany.length > 0)
      await trx.deleteFrom('known_device').where('user_id', '=', userId).where('device_hash', 'in', tooMany).execute();
    await trx
      .insertInto('known_device')
      .values({ user_id: userId, device_hash: deviceHash, created_time: now, last_seen_time: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'device_hash']).doUpdateSet({ last_seen_time: now }))
      .execute();
    if (seen !== undefined) return 'known';
    return others.length === 0 ? 'first' : 'another';
  });
}

/** Deletes all known devices of an account that may have been compromised. */
export async function forgetDevices(db: Kysely<Schema>, userId: number): Promise<void> {
  await db.deleteFrom('known_device').where('user_id', '=', userId).execute();
}

async function lastSeen(ctx: Context, userId: number, deviceHash: string): Promise<number | undefined> {
  const row = await ctx.db.writer
    .selectFrom('known_device')
    .select('last_seen_time')
    .where('user_id', '=', userId)
    .where('device_hash', '=', deviceHash)
    .executeTakeFirst();
  return row?.last_seen_time;
}
