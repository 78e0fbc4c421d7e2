/** What a password alone does not open: time-based codes and passkeys. */
import type { Context } from '../../context.ts';

export async function hasSecondFactor(ctx: Context, userId: number): Promise<boolean> {
  const { totp, passkey } = await ctx.db.writer
    .selectNoFrom((eb) => [
      eb.exists(eb.selectFrom('totp').select('user_id').where('user_id', '=', userId)).as('totp'),
      eb.exists(eb.selectFrom('passkey').select('id').where('user_id', '=', userId)).as('passkey'),
    ])
    .executeTakeFirstOrThrow();
  return Boolean(totp) || Boolean(passkey);
}
