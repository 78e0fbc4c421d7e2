/** Proof of who somebody is, by password. A wrong name, a wrong password and a disabled account look the same. */
import type { Self } from '@switchyard/contract/profile';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { verifyPassword } from '../../platform/password.ts';
import { readSelf } from '../profile/profile.ts';
import { clearedCookie, endSession, startSession } from '../sessions/sessions.ts';

export interface SignInCall {
  caller: Caller | undefined;
  address: string;
  userAgent: string;
  secure: boolean;
  setCookie(value: string): void;
}

/** @throws AppError `wrong-credentials` */
export async function signInWithPassword(
  ctx: Context,
  call: SignInCall,
  { username, password }: { username: string; password: string },
): Promise<Self> {
  const user = await findAccount(ctx, username);
  // The same work for a name that does not exist, so that the time tells nothing.
  const isRight = await verifyPassword(password, user?.password_hash ?? '');
  if (user === undefined || !isRight || user.status !== 'enabled')
    throw new AppError('wrong-credentials', 'The user name or the password is not right');
  return beginSession(ctx, call, user.id);
}

/** Signs a user in whose identity is proven; a session that the browser had before ends. */
export async function beginSession(ctx: Context, call: SignInCall, userId: number): Promise<Self> {
  if (call.caller?.sessionIdHash !== undefined) await endSession(ctx, call.caller.sessionIdHash);
  await ctx.db.writer
    .updateTable('user')
    .set({ last_login_time: nowSeconds(ctx.clock), last_login_ip: call.address })
    .where('id', '=', userId)
    .execute();
  call.setCookie(await startSession(ctx, userId, call));
  return readSelf(ctx, userId);
}

export async function signOut(ctx: Context, call: SignInCall): Promise<void> {
  if (call.caller?.sessionIdHash !== undefined) await endSession(ctx, call.caller.sessionIdHash);
  call.setCookie(clearedCookie(call.secure));
}

/** By name, else by a mail address that exactly one account has. */
export async function findAccount(ctx: Context, name: string) {
  const accounts = ctx.db.writer
    .selectFrom('user')
    .select(['id', 'password_hash', 'status'])
    .where('deleted_time', 'is', null);
  const byName = await accounts.where(sql`lower(username)`, '=', name.toLowerCase()).executeTakeFirst();
  if (byName !== undefined) return byName;
  const byEmail = await accounts.where(sql`lower(email)`, '=', name.toLowerCase()).limit(2).execute();
  return byEmail.length === 1 ? byEmail[0] : undefined;
}
