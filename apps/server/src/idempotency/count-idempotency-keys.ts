/**
 * Counts each user's idempotency keys and stored responses with every change, because summing them up would read up
 * to a million rows. A process that dies between a change and its count leaves it off by one key; it is reset once
 * the user has no key.
 */
import type { Kysely } from 'kysely';
import type { Schema } from '../schema.ts';

/** Maximum keys of a user within a day. The usual limit of 600 requests a minute stays below it. */
export const KEYS_MAX = 1_000_000;

/** Adds a key to the count. @returns false if the user has `KEYS_MAX` */
export async function addKeyToUsage(db: Kysely<Schema>, userId: number): Promise<boolean> {
  const counted = await db
    .insertInto('idempotency_usage')
    .values({ user_id: userId, keys: 1, bytes: 0 })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((eb) => ({ keys: eb('idempotency_usage.keys', '+', 1) }))
        .where('idempotency_usage.keys', '<', KEYS_MAX),
    )
    .returning('keys')
    .executeTakeFirst();
  return counted !== undefined;
}

/** @param bytes negative to reduce the count. @returns the bytes of all responses that are stored for the user */
export async function addBytesToUsage(db: Kysely<Schema>, userId: number, bytes: number): Promise<number> {
  const counted = await db
    .updateTable('idempotency_usage')
    .set((eb) => ({ bytes: eb('bytes', '+', bytes) }))
    .where('user_id', '=', userId)
    .returning('bytes')
    .executeTakeFirst();
  return counted?.bytes ?? 0;
}

/** Subtracts keys from the count. */
export async function removeFromUsage(
  db: Kysely<Schema>,
  rows: readonly { user_id: number; bytes: number }[],
): Promise<void> {
  for (const [userId, ofUser] of Map.groupBy(rows, ({ user_id }) => user_id)) {
    await db
      .updateTable('idempotency_usage')
      .set((eb) => ({ keys: eb('keys', '-', ofUser.length), bytes: eb('bytes', '-', sumBytes(ofUser)) }))
      .where('user_id', '=', userId)
      .execute();
    await db.deleteFrom('idempotency_usage').where('user_id', '=', userId).where('keys', '<=', 0).execute();
  }
}

export function sumBytes(rows: readonly { bytes: number }[]): number {
  return rows.reduce((sum, { bytes }) => sum + bytes, 0);
}
