/** What administrators do with others' keys: see what they are charged, and set the ratio. Never the keys themselves. */
import type { ApiKey } from '@switchyard/contract/api-keys';
import type { ApiKeyId, UserId } from '@switchyard/contract/ids';
import { outranks } from '@switchyard/contract/permissions';
import type { Context } from '../../context.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import { AppError, notFound } from '../../platform/app-error.ts';
import type { Caller } from '../../platform/caller.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { presentKey } from './api-keys.ts';
import { selectKeys } from './queries.ts';

const SHOWN_MAX = 200;

type Priced = Pick<ApiKey, 'id' | 'name' | 'status' | 'group' | 'ratio' | 'used_quota'>;

export async function listKeysOf(ctx: Context, userId: UserId): Promise<Priced[]> {
  const now = nowSeconds(ctx.clock);
  const rows = await selectKeys(ctx.db.reader, now)
    .where('api_key.user_id', '=', userId)
    .orderBy('api_key.id', 'desc')
    .limit(SHOWN_MAX)
    .execute();
  return rows.map((row) => {
    const { id, name, status, group, ratio, used_quota } = presentKey(row, now);
    return { id, name, status, group, ratio, used_quota };
  });
}

/** @throws AppError `not-found`; `not-allowed` for one's own token and those of equal or higher roles, but for root */
export async function setKeyRatio(ctx: Context, caller: Caller, id: ApiKeyId, ratio: number): Promise<void> {
  const key = await ctx.db.writer
    .selectFrom('api_key')
    .innerJoin('user', 'user.id', 'api_key.user_id')
    .select('user.role')
    .where('api_key.id', '=', id)
    .where('api_key.deleted_time', 'is', null)
    .executeTakeFirst();
  if (key === undefined) throw notFound('token');
  if (!outranks(caller.role, key.role))
    throw new AppError('not-allowed', 'Your role does not allow changes to this token');
  await ctx.db.writer
    .updateTable('api_key')
    .set({ ratio_micros: Math.round(ratio * RATIO_ONE) })
    .where('id', '=', id)
    .execute();
  await ctx.changes.publish({ topic: 'api-keys', ids: [id] });
}
