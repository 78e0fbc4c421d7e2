/** Tokens by which scripts manage an account. They are shown once; only their keyed hashes are stored. */
import { randomBytes } from 'node:crypto';
import type { Right } from '@switchyard/contract/permissions';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';

/** Everything that the owner may do at the time. */
const EVERYTHING = '*';
/** `last_used_time` is written at most this often. */
const USED_INTERVAL_SECONDS = 60;

export interface PresentedToken {
  userId: number;
  readOnly: boolean;
  allows(right: Right): boolean;
}

/** The token that this text is, if it still counts. */
export async function findAccessToken(ctx: Context, text: string): Promise<PresentedToken | undefined> {
  const now = nowSeconds(ctx.clock);
  const row = await ctx.db.writer
    .selectFrom('access_token')
    .selectAll()
    .where('token_hash', '=', ctx.vault.fingerprint(text))
    .where((eb) => eb.or([eb('expires_time', '=', 0), eb('expires_time', '>', now)]))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (now - row.last_used_time > USED_INTERVAL_SECONDS) {
    await ctx.db.writer
      .updateTable('access_token')
      .set({ last_used_time: now })
      .where('id', '=', row.id)
      .execute();
  }
  const scopes = new Set<string>(JSON.parse(row.scopes));
  return {
    userId: row.user_id,
    readOnly: row.read_only === 1,
    allows: (right) => scopes.has(EVERYTHING) || scopes.has(right),
  };
}

/** The token without a name, which old tools know; the one before it stops working. */
export async function replaceUnnamedToken(ctx: Context, userId: number): Promise<string> {
  const text = randomBytes(32).toString('base64url');
  await ctx.db.writer.transaction().execute(async (trx) => {
    await trx.deleteFrom('access_token').where('user_id', '=', userId).where('name', '=', '').execute();
    await trx
      .insertInto('access_token')
      .values({
        user_id: userId,
        name: '',
        token_hash: ctx.vault.fingerprint(text),
        hint: text.slice(-4),
        scopes: JSON.stringify([EVERYTHING]),
        read_only: 0,
        created_time: nowSeconds(ctx.clock),
        expires_time: 0,
        last_used_time: 0,
      })
      .execute();
  });
  return text;
}
