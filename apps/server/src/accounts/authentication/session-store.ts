/**
 * Server-side sessions. The cookie's value is stored only as a keyed hash; the user's rights are read with every
 * request.
 */
import { randomBytes } from 'node:crypto';
import type { Role } from '@switchyard/contract/wire-enums';
import type { ExpressionBuilder, Kysely, Selectable, Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { CHUNK_ROWS, runInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { formatCookie } from '../../platform/http/cookies.ts';
import type { Schema } from '../../schema.ts';
import { revokeUserSecrets } from '../one-time-secrets/one-time-secrets.ts';
import type { SessionTable } from './table.ts';

const DAY_SECONDS = 24 * 3600;
const ABSOLUTE_SECONDS = 30 * DAY_SECONDS;
/** Idle time after which a session ends; shorter for privileged roles. */
const IDLE_SECONDS: Readonly<Record<Role, number>> = {
  user: 7 * DAY_SECONDS,
  staff: 12 * 3600,
  admin: 12 * 3600,
  root: 12 * 3600,
};
/** Lifetime of an impersonation, which is never extended. */
export const IMPERSONATION_SECONDS = 30 * 60;
const STEP_UP_SECONDS = 600;
/** Sessions of a user, or impersonations of one; a new one ends the one that was used least recently. */
const SESSIONS_MAX = 100;
/** Minimum seconds between writes of `last_seen_time`. */
const SEEN_INTERVAL_SECONDS = 60;

/** Methods by which a user signed in. */
export const signInMethods = ['password', 'passkey', 'github', 'oidc', 'lark', 'wechat', 'set-up'] as const;
export type SignInMethod = (typeof signInMethods)[number];

interface Client {
  address: string;
  userAgent: string;
  secure: boolean;
}

/**
 * Creates a session and returns its `Set-Cookie` value. A sign-in counts as a step-up.
 * @param db the transaction that checks the sign-in
 */
export async function startSession(
  ctx: Context,
  userId: number,
  client: Client & { method: SignInMethod },
  db: Kysely<Schema> = ctx.db.writer,
): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  const row = rowOf(ctx, value, userId, client);
  await endSessionsBeyondLimit(db, userId, 'own');
  await db
    .insertInto('session')
    .values({ ...row, stepped_up_until: row.created_time + STEP_UP_SECONDS, method: client.method })
    .execute();
  return formatCookie('session', value, { secure: client.secure, seconds: ABSOLUTE_SECONDS });
}

/**
 * Creates a session in which root impersonates a user, with its `Set-Cookie` value. The cookie begins with the hash
 * of root's session, and only counts together with it; it outlives the session, so that an action as the user is
 * never executed as root.
 */
export async function startImpersonation(
  ctx: Context,
  userId: number,
  parentHash: string,
  client: Client,
): Promise<{ cookie: string; startedAt: number }> {
  const value = `${parentHash}.${randomBytes(32).toString('base64url')}`;
  const row = rowOf(ctx, value, userId, client);
  await endSessionsBeyondLimit(ctx.db.writer, userId, 'impersonation');
  await ctx.db.writer
    .insertInto('session')
    .values({ ...row, stepped_up_until: 0, method: 'impersonation', parent_hash: parentHash })
    .execute();
  const cookie = formatCookie('impersonation', value, { secure: client.secure, seconds: ABSOLUTE_SECONDS });
  return { cookie, startedAt: row.created_time };
}

/**
 * Makes room for one more session. Otherwise a user could have so many that their removal blocks the event loop.
 * @param kind the user's own sessions, or the impersonations of the user
 */
async function endSessionsBeyondLimit(
  db: Kysely<Schema>,
  userId: number,
  kind: 'own' | 'impersonation',
): Promise<void> {
  const sessions = await db
    .selectFrom('session')
    .select('id_hash')
    .where('user_id', '=', userId)
    .where('parent_hash', kind === 'own' ? 'is' : 'is not', null)
    .orderBy('last_seen_time', 'desc')
    .limit(SESSIONS_MAX + CHUNK_ROWS)
    .execute();
  const oldest = sessions.slice(SESSIONS_MAX - 1).map(({ id_hash }) => id_hash);
  if (oldest.length > 0) await db.deleteFrom('session').where('id_hash', 'in', oldest).execute();
}

function rowOf(ctx: Context, value: string, userId: number, client: Client) {
  const now = nowSeconds(ctx.clock);
  return {
    id_hash: ctx.vault.fingerprint(value),
    user_id: userId,
    created_time: now,
    last_seen_time: now,
    address: client.address,
    device: client.userAgent.slice(0, 200),
  };
}

export function buildClearedCookie(cookie: 'session' | 'impersonation', secure: boolean): string {
  return formatCookie(cookie, '', { secure, seconds: 0 });
}

export async function stepUpSession(ctx: Context, idHash: string): Promise<void> {
  const until = nowSeconds(ctx.clock) + STEP_UP_SECONDS;
  await ctx.db.writer.updateTable('session').set({ stepped_up_until: until }).where('id_hash', '=', idHash).execute();
}

/** Lists a user's valid sessions, latest first. Their ids are hashes, which cannot be used to sign in. */
export async function listActiveSessions(
  ctx: Context,
  { userId, role }: Pick<Caller, 'userId' | 'role'>,
): Promise<Selectable<SessionTable>[]> {
  const now = nowSeconds(ctx.clock);
  return ctx.db.writer
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_time', '>=', now - ABSOLUTE_SECONDS)
    .where('last_seen_time', '>=', now - IDLE_SECONDS[role])
    .where((eb) => eb.or([eb('parent_hash', 'is', null), eb('created_time', '>', now - IMPERSONATION_SECONDS)]))
    .orderBy('last_seen_time', 'desc')
    .limit(200)
    .execute();
}

/** Returns whether a session has expired by its age or its idle time. */
export function isSessionExpired(
  row: { created_time: number; last_seen_time: number; role: Role; parent_hash: string | null },
  now: number,
): boolean {
  if (row.parent_hash !== null && now - row.created_time >= IMPERSONATION_SECONDS) return true;
  return now - row.created_time > ABSOLUTE_SECONDS || now - row.last_seen_time > IDLE_SECONDS[row.role];
}

/**
 * Checks that the caller's session or access token still exists, and locks it until the transaction ends. A write that
 * waited while the owner revoked it would otherwise create a credential that outlives, for instance, a password reset.
 * @param trx transaction that creates, changes or removes a credential or a sign-in method
 * @throws AppError `not-signed-in`
 */
export async function requireCredential(
  { db }: Pick<Context, 'db'>,
  trx: Transaction<Schema>,
  { userId, sessionIdHash, accessTokenId }: Pick<Caller, 'userId' | 'sessionIdHash' | 'accessTokenId'>,
): Promise<void> {
  const isLocking = db.engine.kind === 'postgres';
  const session = trx
    .selectFrom('session')
    .select('user_id')
    .where('id_hash', '=', sessionIdHash ?? '')
    .$if(isLocking, (query) => query.forUpdate());
  const token = trx
    .selectFrom('access_token')
    .select('user_id')
    .where('id', '=', accessTokenId ?? 0)
    .$if(isLocking, (query) => query.forUpdate());
  const found = await (sessionIdHash === undefined ? token : session).executeTakeFirst();
  if (found?.user_id !== userId)
    throw new AppError('not-signed-in', 'Your session or access token has ended. Sign in again.');
}

/** Records that a session was used. */
export async function touchSession(ctx: Context, idHash: string, lastSeen: number): Promise<void> {
  const now = nowSeconds(ctx.clock);
  if (now - lastSeen <= SEEN_INTERVAL_SECONDS) return;
  await ctx.db.writer.updateTable('session').set({ last_seen_time: now }).where('id_hash', '=', idHash).execute();
}

export async function endSession(ctx: Context, idHash: string): Promise<void> {
  await ctx.db.writer.deleteFrom('session').where('id_hash', '=', idHash).execute();
}

/**
 * Ends a user's sessions, and everything that is under way for the account, such as a sign-in that waits for its second
 * factor. Secrets are revoked first: a request that has consumed one has started its session by then.
 */
export async function endAllSessions(ctx: Context, userId: number): Promise<void> {
  await revokeUserSecrets(ctx.db.writer, userId);
  // In pieces, because an account may have more sessions from the time before they were limited.
  await runInChunks(ctx.db.machine, async () => {
    // Transactions take turns, so that two which end the same sessions do not wait for each other.
    const { numDeletedRows } = await ctx.db.writer.transaction().execute((trx) =>
      trx
        .deleteFrom('session')
        .where('id_hash', 'in', (eb) =>
          eb.selectFrom('session').select('id_hash').where('user_id', '=', userId).limit(CHUNK_ROWS),
        )
        .executeTakeFirstOrThrow(),
    );
    return Number(numDeletedRows) === CHUNK_ROWS;
  });
}

/**
 * Does the same within the transaction that replaces the password or the rights, so that a process that dies in between
 * leaves no session that began with the old ones. Without pieces, whose pauses would make all other writes wait.
 * @param except session to keep
 */
export async function endAllSessionsIn(trx: Transaction<Schema>, userId: number, except?: string): Promise<void> {
  await revokeUserSecrets(trx, userId);
  await trx
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .$if(except !== undefined, (query) => query.where('id_hash', '<>', except ?? ''))
    .execute();
}

/**
 * Removes expired sessions. They are found on the reading connection, since no index covers them all. @returns the
 * number of removed sessions
 */
export async function removeExpiredSessions(ctx: Context, stopping?: AbortSignal): Promise<number> {
  const now = nowSeconds(ctx.clock);
  const isExpired = (eb: ExpressionBuilder<Schema, 'session'>) =>
    eb.or([
      eb('created_time', '<', now - ABSOLUTE_SECONDS),
      eb('last_seen_time', '<', now - IDLE_SECONDS.user),
      eb.and([eb('parent_hash', 'is not', null), eb('created_time', '<=', now - IMPERSONATION_SECONDS)]),
    ]);
  let removed = 0;
  await runInChunks(
    ctx.db.machine,
    async () => {
      const found = await ctx.db.reader
        .selectFrom('session')
        .select('id_hash')
        .where(isExpired)
        .limit(CHUNK_ROWS)
        .execute();
      const { numDeletedRows } = await ctx.db.writer
        .deleteFrom('session')
        .where(
          'id_hash',
          'in',
          found.map((row) => row.id_hash),
        )
        .where(isExpired)
        .executeTakeFirst();
      removed += Number(numDeletedRows);
      return found.length === CHUNK_ROWS;
    },
    stopping,
  );
  return removed;
}
