/**
 * Server-side sessions and management access tokens. Role, status and group are read with every request, so that a
 * change of rights counts at once. The cookie's value is stored only as a keyed hash.
 */
import { randomBytes } from 'node:crypto';
import type { UserId } from '@switchyard/contract/ids';
import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import type { Caller } from '../../platform/caller.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { SessionTable } from './table.ts';

const IDLE_SECONDS = 7 * 24 * 3600;
const ABSOLUTE_SECONDS = 30 * 24 * 3600;
const STEP_UP_SECONDS = 600;
/** `last_seen_time` is written at most this often. */
const SEEN_INTERVAL_SECONDS = 60;

/** `__Host-` needs an encrypted connection; plain installations get a name of their own. */
const cookieName = (secure: boolean): string => (secure ? '__Host-switchyard' : 'switchyard_session');

/** Makes a session and returns its `Set-Cookie` value. A sign-in counts as a recent password check. */
export async function startSession(
  ctx: Context,
  userId: number,
  client: { address: string; userAgent: string; secure: boolean },
): Promise<string> {
  const value = randomBytes(32).toString('base64url');
  const now = nowSeconds(ctx.clock);
  await ctx.db.writer
    .insertInto('session')
    .values({
      id_hash: ctx.vault.fingerprint(value),
      user_id: userId,
      created_time: now,
      last_seen_time: now,
      address: client.address,
      device: client.userAgent.slice(0, 200),
      stepped_up_until: now + STEP_UP_SECONDS,
    })
    .execute();
  return cookie(value, client.secure, ABSOLUTE_SECONDS);
}

export function clearedCookie(secure: boolean): string {
  return cookie('', secure, 0);
}

function cookie(value: string, secure: boolean, maxAgeSeconds: number): string {
  return `${cookieName(secure)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`;
}

/** Who sends these headers; undefined for nobody, for disabled and for deleted users. */
export async function identifyCaller(
  ctx: Context,
  headers: { cookie?: string | undefined; authorization?: string | undefined },
  secure: boolean,
): Promise<Caller | undefined> {
  const value = readCookie(headers.cookie, cookieName(secure));
  if (value !== undefined && value !== '') return callerOfSession(ctx, ctx.vault.fingerprint(value));
  const token = /^(?:Bearer )?([A-Za-z0-9_-]{32,128})$/.exec(headers.authorization ?? '')?.[1];
  return token === undefined ? undefined : callerOfAccessToken(ctx, ctx.vault.fingerprint(token));
}

async function callerOfSession(ctx: Context, idHash: string): Promise<Caller | undefined> {
  const row = await ctx.db.writer
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .select([
      'user.id',
      'user.username',
      'user.role',
      'user.group_symbol',
      'session.created_time',
      'session.last_seen_time',
      'session.stepped_up_until',
    ])
    .where('session.id_hash', '=', idHash)
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const now = nowSeconds(ctx.clock);
  if (now - row.created_time > ABSOLUTE_SECONDS || now - row.last_seen_time > IDLE_SECONDS) {
    await endSession(ctx, idHash);
    return undefined;
  }
  if (now - row.last_seen_time > SEEN_INTERVAL_SECONDS) {
    await ctx.db.writer
      .updateTable('session')
      .set({ last_seen_time: now })
      .where('id_hash', '=', idHash)
      .execute();
  }
  return {
    userId: row.id as UserId,
    username: row.username,
    role: row.role,
    groupSymbol: row.group_symbol,
    sessionIdHash: idHash,
    steppedUp: row.stepped_up_until > now,
  };
}

async function callerOfAccessToken(ctx: Context, tokenHash: string): Promise<Caller | undefined> {
  const row = await ctx.db.writer
    .selectFrom('user')
    .select(['id', 'username', 'role', 'group_symbol'])
    .where('access_token_hash', '=', tokenHash)
    .where('status', '=', 'enabled')
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    userId: row.id as UserId,
    username: row.username,
    role: row.role,
    groupSymbol: row.group_symbol,
    sessionIdHash: undefined,
    steppedUp: false,
  };
}

export async function stepUpSession(ctx: Context, idHash: string): Promise<void> {
  const until = nowSeconds(ctx.clock) + STEP_UP_SECONDS;
  await ctx.db.writer
    .updateTable('session')
    .set({ stepped_up_until: until })
    .where('id_hash', '=', idHash)
    .execute();
}

/** A user's sessions that are still valid, the latest first. Their ids are hashes, which open nothing. */
export async function listSessionsOf(ctx: Context, userId: number): Promise<Selectable<SessionTable>[]> {
  const now = nowSeconds(ctx.clock);
  return ctx.db.writer
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', userId)
    .where('created_time', '>=', now - ABSOLUTE_SECONDS)
    .where('last_seen_time', '>=', now - IDLE_SECONDS)
    .orderBy('last_seen_time', 'desc')
    .limit(200)
    .execute();
}

export async function endSession(ctx: Context, idHash: string): Promise<void> {
  await ctx.db.writer.deleteFrom('session').where('id_hash', '=', idHash).execute();
}

/** @param except the session that may stay */
export async function endSessionsOf(ctx: Context, userId: number, except?: string): Promise<void> {
  await ctx.db.writer
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .$if(except !== undefined, (query) => query.where('id_hash', '<>', except ?? ''))
    .execute();
}

/** Returns how many. */
export async function removeExpiredSessions(ctx: Context): Promise<number> {
  const now = nowSeconds(ctx.clock);
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('session')
    .where((eb) =>
      eb.or([eb('created_time', '<', now - ABSOLUTE_SECONDS), eb('last_seen_time', '<', now - IDLE_SECONDS)]),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
