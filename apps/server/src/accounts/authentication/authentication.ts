/**
 * Identifies a request's caller. Reads role, status, group and permissions each time, so that a change of rights
 * takes effect at once.
 */

import { getRightsOfRole, type Right } from '@switchyard/contract/accounts/permissions';
import type { UserId } from '@switchyard/contract/ids';
import type { Role } from '@switchyard/contract/wire-enums';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { Caller, Impersonator } from '../../platform/http/caller.ts';
import { readCookie } from '../../platform/http/cookies.ts';
import { findAccessToken } from '../access-tokens/access-tokens.ts';
import { staffPermissions } from '../staff-roles/staff-roles.ts';
import {
  getSecondFactorDeadline,
  isRoleSuspended,
  roleColumns,
  selectHasSecondFactor,
  toRoleHolder,
} from '../staff-second-factor/staff-second-factor.ts';
import { endSession, IMPERSONATION_SECONDS, isSessionExpired, touchSession } from './session-store.ts';

export { forgetDevices, isKnownDevice, rememberDevice } from './known-devices.ts';
export {
  buildClearedCookie,
  endAllSessions,
  endAllSessionsIn,
  endSession,
  IMPERSONATION_SECONDS,
  listActiveSessions,
  removeExpiredSessions,
  requireCredential,
  type SignInMethod,
  signInMethods,
  startImpersonation,
  startSession,
  stepUpSession,
} from './session-store.ts';

/**
 * Use of a session. The check of a running response isn't a request: otherwise an open event stream would keep its session
 * from expiring.
 */
export type SessionUse = 'request' | 'check';

/**
 * Returns the caller identified by these headers; undefined when there is none, or the user is disabled or deleted.
 */
export async function identifyCaller(
  ctx: Context,
  headers: { cookie?: string | undefined; authorization?: string | undefined },
  secure: boolean,
  use: SessionUse = 'request',
): Promise<Caller | undefined> {
  const value = readCookie(headers.cookie, 'session', secure);
  if (value !== undefined) {
    const idHash = ctx.vault.fingerprint(value);
    const own = await findSessionCaller(ctx, idHash, use);
    const as = readCookie(headers.cookie, 'impersonation', secure);
    // An expired impersonation does not fall back to root: an action as the user must not be executed as root.
    return as?.startsWith(`${idHash}.`) === true ? findImpersonationCaller(ctx, as, own, use) : own;
  }
  const token = /^(?:bearer +)?([A-Za-z0-9_-]{32,128})$/i.exec(headers.authorization ?? '')?.[1];
  return token === undefined ? undefined : findAccessTokenCaller(ctx, token);
}

/**
 * Finds the impersonated caller. Read with each request as well, so that an impersonation never outlives root's
 * session and role.
 */
async function findImpersonationCaller(
  ctx: Context,
  cookie: string,
  own: Caller | undefined,
  use: SessionUse,
): Promise<Caller | undefined> {
  return own?.role === 'root' ? findSessionCaller(ctx, ctx.vault.fingerprint(cookie), use, own) : undefined;
}

/** @param parent impersonating caller; an impersonation session is only valid with it */
async function findSessionCaller(
  ctx: Context,
  idHash: string,
  use: SessionUse,
  parent?: Caller,
): Promise<Caller | undefined> {
  const row = await ctx.db.writer
    .selectFrom('session')
    .innerJoin('user', 'user.id', 'session.user_id')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(callerColumns)
    .select(selectHasSecondFactor)
    .select(['session.created_time', 'session.last_seen_time', 'session.stepped_up_until'])
    .select('session.parent_hash')
    .where('session.id_hash', '=', idHash)
    .where('session.parent_hash', 'is not distinct from', parent?.sessionIdHash ?? null)
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const now = nowSeconds(ctx.clock);
  if (isSessionExpired(row, now)) {
    await endSession(ctx, idHash);
    return undefined;
  }
  if (use === 'request') await touchSession(ctx, idHash, row.last_seen_time);
  return {
    ...buildCaller(ctx, row),
    rights: new Set(parseRights(row)),
    readOnly: false,
    sessionIdHash: idHash,
    accessTokenId: undefined,
    steppedUp: row.stepped_up_until > now,
    impersonator: buildImpersonator(parent, row.created_time),
  };
}

function buildImpersonator(parent: Caller | undefined, since: number): Impersonator | undefined {
  if (parent?.sessionIdHash === undefined) return undefined;
  const { userId, username, sessionIdHash } = parent;
  return { userId, username, sessionIdHash, until: since + IMPERSONATION_SECONDS };
}

/** Finds the caller of an access token, with the token's rights that its owner still has. */
async function findAccessTokenCaller(ctx: Context, text: string): Promise<Caller | undefined> {
  const token = await findAccessToken(ctx, text);
  if (token === undefined) return undefined;
  const row = await ctx.db.writer
    .selectFrom('user')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .select(callerColumns)
    .select(selectHasSecondFactor)
    .where('user.id', '=', token.userId)
    .where('user.status', '=', 'enabled')
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    ...buildCaller(ctx, row),
    rights: new Set(parseRights(row).filter((right) => token.allows(right))),
    readOnly: token.readOnly,
    sessionIdHash: undefined,
    accessTokenId: token.id,
    steppedUp: false,
    impersonator: undefined,
  };
}

const callerColumns = [
  ...roleColumns,
  'user.id',
  'user.username',
  'user.group_symbol',
  'staff_role.permissions',
] as const;

interface CallerRow {
  id: number;
  username: string;
  role: Role;
  role_since: number;
  group_symbol: string;
  permissions: string | null;
  has_second_factor: number;
}

function buildCaller(ctx: Context, row: CallerRow) {
  const holder = toRoleHolder(row);
  return {
    userId: row.id as UserId,
    username: row.username,
    role: row.role,
    groupSymbol: row.group_symbol,
    secondFactorNeededFrom: getSecondFactorDeadline(ctx.settings, holder),
    lacksSecondFactor: isRoleSuspended(ctx.settings, holder, nowSeconds(ctx.clock)),
  };
}

const parseRights = ({ role, permissions }: CallerRow): Right[] => getRightsOfRole(role, staffPermissions(permissions));
