/**
 * Administration of other users' keys: view their usage, disable them, set the ratio. Never exposes the keys
 * themselves.
 */
import type { VisibleApiKey } from '@switchyard/contract/accounts/api-keys';
import { outranks } from '@switchyard/contract/accounts/permissions';
import type { ApiKeyId, UserId } from '@switchyard/contract/ids';
import type { ApiKeyStatus } from '@switchyard/contract/wire-enums';
import type { Context } from '../../context.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { canViewUserKeys, presentKey } from './api-keys.ts';
import { selectKeys } from './queries.ts';

const LISTED_MAX = 200;

/** @throws AppError `not-found`; `not-allowed` for equal or higher roles, unless the caller is root */
export async function listUserKeys(ctx: Context, caller: Caller, userId: UserId): Promise<VisibleApiKey[]> {
  const owner = await ctx.db.writer
    .selectFrom('user')
    .select('role')
    .where('id', '=', userId)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (owner === undefined) throw notFound('user', userId);
  if (!canViewUserKeys(caller, owner.role)) throw notAllowed();
  const now = nowSeconds(ctx.clock);
  const rows = await selectKeys(ctx.db.reader, now)
    .where('api_key.user_id', '=', userId)
    .orderBy('api_key.id', 'desc')
    .limit(LISTED_MAX)
    .execute();
  // The API contract removes the other columns.
  return rows.map((row) => presentKey(row, now));
}

/**
 * @throws AppError `not-found`; `not-allowed` for one's own token and those of equal or higher roles, unless the
 * caller is root
 */
export async function setKeyRatio(ctx: Context, caller: Caller, id: ApiKeyId, ratio: number): Promise<void> {
  await changeKey(ctx, caller, id, { ratio_micros: Math.round(ratio * RATIO_ONE) });
}

/** A key that is disabled here cannot be enabled by its owner. @throws AppError as `setKeyRatio` does */
export async function setKeyStatus(ctx: Context, caller: Caller, id: ApiKeyId, status: ApiKeyStatus): Promise<void> {
  await changeKey(ctx, caller, id, { status: status === 'enabled' ? 'enabled' : 'disabled-by-staff' });
}

async function changeKey(
  ctx: Context,
  caller: Caller,
  id: ApiKeyId,
  change: { ratio_micros: number } | { status: 'enabled' | 'disabled-by-staff' },
): Promise<void> {
  const key = await ctx.db.writer
    .selectFrom('api_key')
    .innerJoin('user', 'user.id', 'api_key.user_id')
    .select('user.role')
    .where('api_key.id', '=', id)
    .where('api_key.deleted_time', 'is', null)
    // The keys of a deleted account must stay disabled.
    .where('user.deleted_time', 'is', null)
    .executeTakeFirst();
  if (key === undefined) throw notFound('token', id);
  if (!outranks(caller.role, key.role)) throw notAllowed();
  await ctx.db.writer.updateTable('api_key').set(change).where('id', '=', id).execute();
  await ctx.changes.publish({ topic: 'api-keys', ids: [id] });
}

function notAllowed(): AppError {
  return new AppError('not-allowed', 'Your role does not allow access to the tokens of this user');
}
