/** Access tokens, by which scripts manage an account. They are shown once; only their keyed hashes are stored. */
import { randomBytes } from 'node:crypto';
import type { AccessToken, createAccessToken as createSchema } from '@switchyard/contract/accounts/access-tokens';
import { type Right, right } from '@switchyard/contract/accounts/permissions';
import type { AccessTokenId } from '@switchyard/contract/ids';
import type { Kysely, Transaction } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';

/** All rights that the owner currently has. */
const ALL_RIGHTS = '*';
const TOKENS_MAX = 50;
/** Minimum seconds between writes of `last_used_time`. */
const USED_INTERVAL_SECONDS = 60;

export interface PresentedToken {
  id: number;
  userId: number;
  readOnly: boolean;
  allows(right: Right): boolean;
}

/** Finds the valid token with this text. */
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
    await ctx.db.writer.updateTable('access_token').set({ last_used_time: now }).where('id', '=', row.id).execute();
  }
  const scopes = new Set<string>(JSON.parse(row.scopes));
  return {
    id: row.id,
    userId: row.user_id,
    readOnly: row.read_only === 1,
    allows: (wanted) => scopes.has(ALL_RIGHTS) || scopes.has(wanted),
  };
}

export async function listAccessTokens(ctx: Context, { userId }: Caller): Promise<AccessToken[]> {
  const now = nowSeconds(ctx.clock);
  const rows = await ctx.db.writer
    .selectFrom('access_token')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map((row) => ({
    id: row.id as AccessTokenId,
    ...pickFields(row, ['name', 'hint', 'created_time', 'expires_time', 'last_used_time']),
    scopes: parseScopes(row.scopes),
    read_only: row.read_only === 1,
    expired: row.expires_time !== 0 && row.expires_time <= now,
  }));
}

/**
 * Creates a token, which can never do more than its creator.
 * @param trx transaction that has checked the caller's credential
 * @throws AppError for a right that the caller lacks, a time in the past, or too many tokens
 */
export async function createAccessToken(
  ctx: Context,
  trx: Transaction<Schema>,
  caller: Pick<Caller, 'userId' | 'rights'>,
  { name, scopes, read_only, expires_time }: z.output<typeof createSchema>,
): Promise<{ token: string; id: AccessTokenId }> {
  const foreign = scopes.filter((scope) => !caller.rights.has(scope));
  if (foreign.length > 0)
    throw fieldError('scopes', 'not-allowed', `You lack the permissions ${foreign.join(', ')}. Choose only your own.`);
  if (expires_time !== 0 && expires_time <= nowSeconds(ctx.clock))
    throw fieldError('expires_time', 'past', 'This time is in the past');
  const own = await trx.selectFrom('access_token').select('id').where('user_id', '=', caller.userId).execute();
  if (own.length >= TOKENS_MAX)
    throw new AppError('conflict', `You have reached the limit of ${TOKENS_MAX} access tokens. Revoke one first.`);
  return insertToken(ctx, trx, {
    user_id: caller.userId,
    name,
    scopes: JSON.stringify([...new Set(scopes)]),
    read_only: Number(read_only),
    expires_time,
  });
}

/** @throws AppError `not-found`, also for another user's token */
export async function removeAccessToken(ctx: Context, { userId }: Caller, id: AccessTokenId): Promise<void> {
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('access_token')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notFound('access token', id);
}

/** Removes all tokens of a user, in case another person created some of them. */
export async function removeUserAccessTokens(db: Kysely<Schema>, userId: number): Promise<void> {
  await db.deleteFrom('access_token').where('user_id', '=', userId).execute();
}

/**
 * Replaces the token without a name, which other gateways' tools create; the previous one stops working.
 * @param trx transaction that has checked the caller's credential
 */
export async function replaceUnnamedToken(ctx: Context, trx: Transaction<Schema>, userId: number): Promise<string> {
  await trx.deleteFrom('access_token').where('user_id', '=', userId).where('name', '=', '').execute();
  const { token } = await insertToken(ctx, trx, {
    user_id: userId,
    name: '',
    scopes: JSON.stringify([ALL_RIGHTS]),
    read_only: 0,
    expires_time: 0,
  });
  return token;
}

async function insertToken(
  ctx: Context,
  db: Kysely<Schema>,
  row: { user_id: number; name: string; scopes: string; read_only: number; expires_time: number },
): Promise<{ token: string; id: AccessTokenId }> {
  const token = randomBytes(32).toString('base64url');
  const { id } = await db
    .insertInto('access_token')
    .values({
      ...row,
      token_hash: ctx.vault.fingerprint(token),
      hint: token.slice(-4),
      created_time: nowSeconds(ctx.clock),
      last_used_time: 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { token, id: id as AccessTokenId };
}

/** Returns null for all rights; rights that this version no longer knows are left out. */
function parseScopes(stored: string): Right[] | null {
  const names: unknown = JSON.parse(stored);
  if (!Array.isArray(names)) return [];
  if (names.includes(ALL_RIGHTS)) return null;
  return names.flatMap((name) => right.safeParse(name).data ?? []);
}
