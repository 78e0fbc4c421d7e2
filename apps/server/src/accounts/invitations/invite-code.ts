/** Codes by which users invite others. */
import { randomInt } from 'node:crypto';
import type { Context } from '../../context.ts';

/** Without those that look alike. */
const LETTERS = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const CODE_LENGTH = 10;

/** The user's own code, made when it is first asked for. */
export async function readInviteCode(ctx: Context, userId: number): Promise<string> {
  const code = Array.from({ length: CODE_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('');
  await ctx.db.writer
    .updateTable('user')
    .set({ aff_code: code })
    .where('id', '=', userId)
    .where('aff_code', 'is', null)
    .execute();
  const { aff_code } = await ctx.db.writer
    .selectFrom('user')
    .select('aff_code')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return aff_code ?? code;
}

/** Returns the user whose invitation code it is; undefined when there is none or the user is disabled or deleted. */
export async function findInviter(ctx: Context, code: string): Promise<number | undefined> {
  if (code === '') return undefined;
  const inviter = await ctx.db.writer
    .selectFrom('user')
    .select('id')
    .where('aff_code', '=', code)
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  return inviter?.id;
}
