/** Signs users in by password. A wrong name, a wrong password and a disabled account get the same response. */

import { deviceName } from '@switchyard/contract/accounts/device-name';
import type { Self } from '@switchyard/contract/accounts/profile';
import type { Role } from '@switchyard/contract/wire-enums';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { notifyUser } from '../../operations/notifications/notifications.ts';
import { createBoundedMap } from '../../platform/caches.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Call } from '../../platform/http/mount-routes.ts';
import { createLocalLimit } from '../../platform/limits/rate-limit.ts';
import { isLoopback } from '../../platform/outbound/address-matcher.ts';
import { isLegacyHash } from '../../platform/secrets/legacy-password-hash.ts';
import { hashPassword, verifyPassword } from '../../platform/secrets/password-hashing.ts';
import type { Schema } from '../../schema.ts';
import {
  buildClearedCookie,
  endSession,
  rememberDevice,
  type SignInMethod,
  signInMethods,
  startSession,
} from '../authentication/authentication.ts';
import {
  consumePendingSecret,
  countFailedTry,
  findPendingSecret,
  issueSecret,
  revokeSecrets,
} from '../one-time-secrets/one-time-secrets.ts';
import { readSelf } from '../profile/profile.ts';
import { consumeSecondFactorCode, hasSecondFactor, WRONG_CODE } from '../second-factor/second-factor.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { findAccountByLogin } from '../users/users.ts';
import type { PasswordRateLimit } from './password-rate-limit.ts';

/** Parts of the call that a sign-in needs. */
export type SignInCall = Pick<
  Call<'anyone'>,
  'caller' | 'address' | 'userAgent' | 'secure' | 'setCookie' | 'deviceHash'
>;

/** Time limit for the second factor. */
const SECOND_FACTOR_SECONDS = 300;

const signInData = z.object({ method: z.enum(signInMethods) });

/** @throws AppError `wrong-credentials`, `switched-off`, `too-many-requests` */
export async function signInWithPassword(
  ctx: Context,
  guard: PasswordRateLimit,
  call: SignInCall,
  { username, password }: { username: string; password: string },
): Promise<Self> {
  const user = await findAccountByLogin(ctx.db.writer, username);
  const turn = await guard.beginAttempt(call, username, user?.id);
  // Does the same work for an unknown name, so that the time reveals nothing.
  const hash = turn.allowed ? (user?.password_hash ?? '') : '';
  const isRight = await verifyPassword(password, hash, turn.queue, await findAnyLegacyHash(ctx.db.writer));
  // The setting must not lock root out.
  const mayUsePassword = ctx.settings.passwordLogin || (isRight && user?.role === 'root');
  if (!mayUsePassword)
    throw new AppError('switched-off', 'Password sign-in is disabled. Choose another method on the sign-in page.');
  if (user === undefined || !isRight || user.status !== 'enabled')
    throw new AppError('wrong-credentials', 'The username or password is incorrect');
  turn.recordSuccess();
  const passwordHash = isLegacyHash(hash)
    ? await upgradePasswordHash(ctx, user.id, hash, await hashPassword(password, turn.queue))
    : hash;
  return completeSignIn(ctx, call, user.id, 'password', passwordHash);
}

/**
 * Completes the first factor. Begins the session, or asks for the second factor if there is one; a passkey is both in
 * one. Every sign-in method ends here.
 * @param passwordHash hash of the password that was checked
 * @throws AppError `second-factor-required`; the sign-in is pending in this browser
 */
export async function completeSignIn(
  ctx: Context,
  call: SignInCall,
  userId: number,
  method: SignInMethod,
  passwordHash?: string,
): Promise<Self> {
  const check = (trx: Transaction<Schema>): Promise<void> => lockAccount(ctx, trx, userId, passwordHash);
  if (method !== 'passkey' && (await hasSecondFactor(ctx, userId))) {
    const scope = { purpose: 'sign-in', deviceHash: call.deviceHash() } as const;
    await revokeSecrets(ctx, scope);
    await ctx.db.writer.transaction().execute(async (trx) => {
      await check(trx);
      await issueSecret(ctx, { ...scope, userId, seconds: SECOND_FACTOR_SECONDS, data: { method } }, trx);
    });
    throw new AppError(
      'second-factor-required',
      'Send a code of your second factor with POST /api/user/login/second and the cookie of this response, or sign in with a passkey.',
    );
  }
  return beginSession(ctx, call, userId, method, check);
}

/** Finds this browser's sign-in that waits for its second factor. */
export async function findPendingSignIn(
  ctx: Context,
  call: Pick<SignInCall, 'deviceHash'>,
): Promise<{ userId: number; method: SignInMethod } | undefined> {
  const waiting = await findPendingSecret(ctx, { purpose: 'sign-in', deviceHash: call.deviceHash() });
  if (waiting?.userId === undefined) return undefined;
  const { method } = signInData.parse(waiting.data);
  return { userId: waiting.userId, method };
}

/**
 * @throws AppError `wrong-code`; after five of them the sign-in has to start again. `link-expired` when it was revoked
 * or completed meanwhile
 */
export async function finishSignIn(
  ctx: Context,
  call: SignInCall,
  { userId, method }: { userId: number; method: SignInMethod },
  code: string,
): Promise<Self> {
  const scope = { purpose: 'sign-in', deviceHash: call.deviceHash() } as const;
  if (!(await consumeSecondFactorCode(ctx, userId, code))) {
    await countFailedTry(ctx, scope);
    throw new AppError('wrong-code', WRONG_CODE);
  }
  return beginSession(ctx, call, userId, method, async (trx) => {
    await lockAccount(ctx, trx, userId);
    const waiting = await consumePendingSecret(ctx, { ...scope, subject: '' }, trx);
    if (waiting?.userId !== userId) throw signInExpired();
  });
}

export const signInExpired = () => new AppError('link-expired', 'This sign-in has expired. Start again.');

/**
 * Begins the session of an authenticated user; an earlier session of the browser ends.
 * @param check runs in the transaction that creates the session, and throws if the proof of identity no longer counts:
 * checking a password takes long enough for its owner to replace it
 */
export async function beginSession(
  ctx: Context,
  call: SignInCall,
  userId: number,
  method: SignInMethod,
  check: (trx: Transaction<Schema>) => Promise<void> = async () => {},
): Promise<Self> {
  const { role } = await ctx.db.writer
    .selectFrom('user')
    .select('role')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  checkConnection(ctx, call, role);
  const cookie = await ctx.db.writer.transaction().execute(async (trx) => {
    await check(trx);
    await trx
      .updateTable('user')
      .set({ last_login_time: nowSeconds(ctx.clock), last_login_ip: call.address })
      .where('id', '=', userId)
      .execute();
    return startSession(ctx, userId, { ...call, method }, trx);
  });
  if (call.caller?.sessionIdHash !== undefined) await endSession(ctx, call.caller.sessionIdHash);
  if ((await rememberDevice(ctx, userId, call.deviceHash())) === 'another') {
    const signedIn = {
      device: deviceName(call.userAgent) ?? call.userAgent.slice(0, 200),
      address: call.address,
      time: nowSeconds(ctx.clock),
    };
    await mailOwner(ctx, userId, 'new-sign-in', signedIn);
    await notifyUser(ctx, userId, 'new-sign-in', signedIn);
  }
  call.setCookie(cookie);
  return readSelf(ctx, userId);
}

export async function signOut(ctx: Context, call: SignInCall): Promise<void> {
  // Signing out during an impersonation ends both sessions.
  const idHash = call.caller?.impersonator?.sessionIdHash ?? call.caller?.sessionIdHash;
  if (idHash !== undefined) await endSession(ctx, idHash);
  call.setCookie(buildClearedCookie('session', call.secure));
  if (call.caller?.impersonator !== undefined) call.setCookie(buildClearedCookie('impersonation', call.secure));
}

/**
 * Checks that the account may sign in, and locks it until the transaction ends: a change of its password comes before
 * or after, and then ends what this transaction has started.
 * @throws AppError as for a wrong password
 */
async function lockAccount(
  { db }: Context,
  trx: Transaction<Schema>,
  userId: number,
  passwordHash?: string,
): Promise<void> {
  const user = await trx
    .selectFrom('user')
    .select('id')
    .where('id', '=', userId)
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .$if(passwordHash !== undefined, (query) => query.where('password_hash', '=', passwordHash ?? ''))
    .$if(db.engine.kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst();
  if (user === undefined) throw new AppError('wrong-credentials', 'The username or password is incorrect');
}

/**
 * Requires that privileged users sign in over an encrypted connection or from this machine.
 * @throws AppError `insecure-connection`
 */
export function checkConnection(
  ctx: Context,
  { address, secure }: { address: string; secure: boolean },
  role: Role,
): void {
  if (role === 'user' || secure || isLoopback(address) || ctx.config.plainHttpStaff) return;
  throw new AppError(
    'insecure-connection',
    'Staff can sign in over HTTPS only. If a proxy terminates TLS, add it to TRUSTED_PROXIES, or set PLAIN_HTTP_STAFF=true to allow plain HTTP.',
  );
}

/**
 * Returns any such hash while there is one, so that every sign-in does the same work, and its time reveals nothing.
 */
async function findAnyLegacyHash(db: Kysely<Schema>): Promise<string | undefined> {
  const found = await db
    .selectFrom('user')
    .select('password_hash')
    // A literal, as in the partial index.
    .where(sql<boolean>`password_hash like '$2%'`)
    .limit(1)
    .executeTakeFirst();
  return found?.password_hash;
}

/**
 * Replaces an imported hash at the user's first sign-in, unless the password was changed meanwhile. @returns the new
 * hash
 */
async function upgradePasswordHash(
  { db }: Pick<Context, 'db'>,
  userId: number,
  old: string,
  hash: string,
): Promise<string> {
  await db.writer
    .updateTable('user')
    .set({ password_hash: hash })
    .where('id', '=', userId)
    .where('password_hash', '=', old)
    .execute();
  return hash;
}

const REFUSAL_INTERVAL_MS = 60_000;
/** Maximum pairs of an account and an address that are remembered. */
const REFUSALS_MAX = 10_000;
const TYPED_NAME_MAX = 64;
/** Entries are never deleted, and strangers can make up any number of names. */
const UNKNOWN_NAMES_PER_INTERVAL = 30;

/**
 * Records at most one refusal for an account and an address in a minute, and 30 for names without an account. The typed
 * name is stored only when an account is called so: people type passwords into the field for the name.
 */
export function createRefusalLog(ctx: Context) {
  const recordedAt = createBoundedMap<string, number>(REFUSALS_MAX);
  const unknownNames = createLocalLimit(ctx.clock, UNKNOWN_NAMES_PER_INTERVAL, REFUSAL_INTERVAL_MS);
  return async (call: SignInCall & { requestId: string }, typed: string): Promise<void> => {
    const account = await findAccountByLogin(ctx.db.writer, typed);
    const key = `${account?.id ?? 'unknown'} ${call.address}`;
    const now = ctx.clock.now();
    const last = recordedAt.get(key);
    if (last !== undefined && now >= last && now - last < REFUSAL_INTERVAL_MS) return;
    if (account === undefined && !unknownNames.tryConsume('all')) return;
    recordedAt.set(key, now);
    await audit(
      ctx,
      { ...call, caller: undefined },
      account === undefined
        ? { action: 'session.refused', target: 'user:unknown' }
        : { action: 'session.refused', target: `user:${account.id}`, detail: { name: typed.slice(0, TYPED_NAME_MAX) } },
    );
  };
}
