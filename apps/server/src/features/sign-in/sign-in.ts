/** Proof of who somebody is, by password. A wrong name, a wrong password and a disabled account look the same. */
import type { Self } from '@switchyard/contract/profile';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Call } from '../../platform/mount.ts';
import { verifyPassword } from '../../platform/password.ts';
import { forget, issueSecret } from '../one-time/one-time.ts';
import { readSelf } from '../profile/profile.ts';
import { hasSecondFactor } from '../second-factor/second-factor.ts';
import { clearedCookie, endSession, type SignInMethod, startSession } from '../sessions/sessions.ts';

/** What a sign-in needs to know of its call. */
export type SignInCall = Pick<
  Call<'anyone'>,
  'caller' | 'address' | 'userAgent' | 'secure' | 'setCookie' | 'deviceHash'
>;

/** So long may somebody look for their second factor. */
const SECOND_FACTOR_SECONDS = 300;

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
  return completeSignIn(ctx, call, user.id, 'password');
}

/**
 * The first factor was right. Begins the session, or asks for the second factor where there is one; a passkey is both
 * in one. Every way in ends here.
 * @throws AppError `second-factor-required`; the sign-in waits for this browser
 */
export async function completeSignIn(
  ctx: Context,
  call: SignInCall,
  userId: number,
  method: SignInMethod,
): Promise<Self> {
  if (method !== 'passkey' && (await hasSecondFactor(ctx, userId))) {
    const scope = { purpose: 'sign-in', deviceHash: call.deviceHash() } as const;
    await forget(ctx, scope);
    await issueSecret(ctx, { ...scope, userId, seconds: SECOND_FACTOR_SECONDS, data: { method } });
    throw new AppError('second-factor-required', 'Enter the code of your second factor');
  }
  return beginSession(ctx, call, userId, method);
}

/** Signs a user in whose identity is proven; a session that the browser had before ends. */
export async function beginSession(
  ctx: Context,
  call: SignInCall,
  userId: number,
  method: SignInMethod,
): Promise<Self> {
  if (call.caller?.sessionIdHash !== undefined) await endSession(ctx, call.caller.sessionIdHash);
  await ctx.db.writer
    .updateTable('user')
    .set({ last_login_time: nowSeconds(ctx.clock), last_login_ip: call.address })
    .where('id', '=', userId)
    .execute();
  call.setCookie(await startSession(ctx, userId, { ...call, method }));
  return readSelf(ctx, userId);
}

export async function signOut(ctx: Context, call: SignInCall): Promise<void> {
  if (call.caller?.sessionIdHash !== undefined) await endSession(ctx, call.caller.sessionIdHash);
  call.setCookie(clearedCookie(call.secure));
}

/** By name, else by a mail address that exactly one account has. */
async function findAccount(ctx: Context, name: string) {
  const accounts = ctx.db.writer
    .selectFrom('user')
    .select(['id', 'password_hash', 'status'])
    .where('deleted_time', 'is', null);
  const byName = await accounts.where(sql`lower(username)`, '=', name.toLowerCase()).executeTakeFirst();
  if (byName !== undefined) return byName;
  const byEmail = await accounts.where(sql`lower(email)`, '=', name.toLowerCase()).limit(2).execute();
  return byEmail.length === 1 ? byEmail[0] : undefined;
}
