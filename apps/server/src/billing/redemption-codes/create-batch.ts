/** Codes that are alike, made at once. */
import { setImmediate } from 'node:timers/promises';
import type { createBatch as createSchema } from '@switchyard/contract/billing/redemption-codes';
import type { CodeBatchId } from '@switchyard/contract/ids';
import type { z } from 'zod';
import { checkGroupExists } from '../../accounts/user-groups/user-groups.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { newCodeText } from './code-text.ts';
import { codeColumns } from './stored-codes.ts';

/** Rows inserted in one statement, because SQLite takes some thousand values. */
const ROWS_AT_ONCE = 500;

/**
 * Makes a batch with all of its codes, or nothing.
 * @returns the codes, as they are handed out
 * @throws AppError that names the field: a group that does not exist, a moment that has passed
 */
export async function createBatch(
  ctx: Context,
  { userId }: Pick<Caller, 'userId'>,
  input: z.output<typeof createSchema>,
): Promise<{ id: CodeBatchId; codes: string[] }> {
  checkIsAhead(ctx, input.expires_time);
  if (input.for_group !== '') await checkGroupExists(ctx, input.for_group, 'for_group');
  if (input.grant_group !== '') await checkGroupExists(ctx, input.grant_group, 'grant_group');
  const codes = Array.from({ length: input.count }, () => newCodeText(input.prefix));
  const sealed = await sealAll(ctx, codes);
  const id = await ctx.db.writer.transaction().execute(async (trx) => {
    const batch = await trx
      .insertInto('code_batch')
      .values({
        ...input,
        enabled: 1,
        created_by: userId,
        created_time: nowSeconds(ctx.clock),
        deleted_time: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const rows = sealed.map((code) => ({
      ...code,
      batch_id: batch.id,
      status: 'enabled' as const,
      redeemed_time: 0,
      redeemed_by: null,
    }));
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
      await trx
        .insertInto('redemption_code')
        .values(rows.slice(from, from + ROWS_AT_ONCE))
        .execute();
    return batch.id as CodeBatchId;
  });
  return { id, codes };
}

/** Thousands take half a second, in which others are served. */
async function sealAll(ctx: Context, codes: readonly string[]) {
  const sealed: ReturnType<typeof codeColumns>[] = [];
  for (const [index, text] of codes.entries()) {
    if (index % ROWS_AT_ONCE === 0) await setImmediate();
    sealed.push(codeColumns(ctx, text));
  }
  return sealed;
}

/** @throws AppError */
export function checkIsAhead({ clock }: Context, expiresTime: number): void {
  if (expiresTime !== 0 && expiresTime <= nowSeconds(clock))
    throw fieldError('expires_time', 'past', 'This time is in the past');
}
