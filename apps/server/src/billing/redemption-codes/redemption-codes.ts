/** Single redemption codes for the operator: lists them with their redemptions, disables and removes them. */
import type { RedemptionCode, redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import type { CodeBatchId, RedemptionCodeId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput } from '@switchyard/contract/route';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { equalsIgnoringCase, readPage, startsWith } from '../../db/paging.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';
import { hashCode, openCode } from './code-text-and-hash.ts';

export { buildCodeColumns } from './code-text-and-hash.ts';
export { redeemWithRateLimit } from './redeem-with-rate-limit.ts';

type ListFilter = RouteInput<(typeof redemptionCodes)['list']>['query'];

const columns = {
  id: 'redemption_code.id',
  name: 'code_batch.name',
  status: 'redemption_code.status',
  quota: 'code_batch.quota',
  created_time: 'code_batch.created_time',
  redeemed_time: 'redemption_code.redeemed_time',
};

export function listCodes(ctx: Context, filter: ListFilter): Promise<Page<RedemptionCode>> {
  const { keyword, status, batch_id, username } = filter;
  let query = selectCodes(ctx.db.reader);
  if (keyword !== undefined)
    query = query.where((eb) =>
      eb.or([
        eb('redemption_code.id', '=', /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0),
        eb('code_hash', '=', hashCode(ctx, keyword)),
        eb('batch_id', 'in', eb.selectFrom('code_batch').select('id').where(startsWith('name', keyword))),
      ]),
    );
  if (status !== undefined) query = query.where('redemption_code.status', '=', status);
  if (batch_id !== undefined) query = query.where('batch_id', '=', batch_id);
  if (username !== undefined) query = query.where(equalsIgnoringCase('user.username', username));
  return readPage(query, filter, { columns, fallback: '-id', tieBreak: 'redemption_code.id', present });
}

export async function getCode(ctx: Context, id: RedemptionCodeId): Promise<RedemptionCode> {
  return present(await findCode(ctx, id));
}

/** @throws AppError `not-found`, or `code-used` */
export async function setCodeStatus(
  ctx: Context,
  id: RedemptionCodeId,
  status: 'enabled' | 'disabled',
): Promise<RedemptionCode> {
  await findCode(ctx, id);
  const { numUpdatedRows } = await ctx.db.writer
    .updateTable('redemption_code')
    .set({ status })
    .where('id', '=', id)
    .where('status', '<>', 'used')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw codeUsedError();
  return getCode(ctx, id);
}

/** @throws AppError `not-found`, or `code-used`, because redemptions are permanent */
export async function removeCode(ctx: Context, id: RedemptionCodeId): Promise<void> {
  await findCode(ctx, id);
  const { numDeletedRows } = await ctx.db.writer
    .deleteFrom('redemption_code')
    .where('id', '=', id)
    .where('status', '<>', 'used')
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw codeUsedError();
}

export async function revealCode(ctx: Context, id: RedemptionCodeId): Promise<string> {
  return openCode(ctx, await findCode(ctx, id));
}

/** Selects codes with their batch, even a deleted one, and the user who redeemed them. */
function selectCodes(db: Kysely<Schema>) {
  return db
    .selectFrom('redemption_code')
    .innerJoin('code_batch', 'code_batch.id', 'redemption_code.batch_id')
    .leftJoin('user', 'user.id', 'redemption_code.redeemed_by')
    .select([
      'redemption_code.id',
      'batch_id',
      'code_hash',
      'code_sealed',
      'hint',
      'redemption_code.status',
      'redeemed_time',
      'redeemed_by',
      'code_batch.name',
      'code_batch.quota',
      'code_batch.created_time',
      'code_batch.expires_time',
      'user.username',
    ]);
}

type CodeRow = Awaited<ReturnType<ReturnType<typeof selectCodes>['executeTakeFirstOrThrow']>>;

async function findCode(ctx: Context, id: RedemptionCodeId): Promise<CodeRow> {
  const row = await selectCodes(ctx.db.writer).where('redemption_code.id', '=', id).executeTakeFirst();
  if (row === undefined) throw notFound('code', id);
  return row;
}

function codeUsedError(): AppError {
  return new AppError('code-used', 'A redeemed code cannot be changed');
}

function present(row: CodeRow): RedemptionCode {
  return {
    id: row.id as RedemptionCodeId,
    batch_id: row.batch_id as CodeBatchId,
    ...pickFields(row, ['name', 'hint', 'status', 'created_time', 'expires_time', 'redeemed_time']),
    quota: toPoints(row.quota),
    redeemed_by: row.redeemed_by === null ? null : { id: row.redeemed_by as UserId, username: row.username ?? '' },
  };
}
