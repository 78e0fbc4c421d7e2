/** Creates batches of redemption codes. */
import { setImmediate } from 'node:timers/promises';
import type { createBatch as createSchema } from '@switchyard/contract/billing/redemption-codes';
import type { CodeBatchId } from '@switchyard/contract/ids';
import type { z } from 'zod';
import { checkGroupExists } from '../../accounts/user-groups/user-groups.ts';
import type { Context } from '../../context.ts';
import { CHUNK_ROWS, runInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { buildCodeColumns, generateCode } from './code-text-and-hash.ts';

const NEW_CODE = { status: 'enabled', redeemed_time: 0, redeemed_by: null } as const;

/**
 * Creates a batch with all of its codes, or nothing.
 * @returns the codes in plain text
 * @throws AppError that names the field: an unknown group, or a time in the past
 */
export async function createBatch(
  ctx: Context,
  { userId }: Pick<Caller, 'userId'>,
  input: z.output<typeof createSchema>,
): Promise<{ id: CodeBatchId; codes: string[] }> {
  checkInFuture(ctx, input.expires_time);
  if (input.for_group !== '') await checkGroupExists(ctx, input.for_group, 'for_group');
  if (input.grant_group !== '') await checkGroupExists(ctx, input.grant_group, 'grant_group');
  const { db } = ctx;
  const { codes, sealed } = await generateCodes(ctx, input);
  const now = nowSeconds(ctx.clock);
  // Disabled and deleted until all of its codes are stored, so that no part of it is visible or redeemable.
  const { id } = await db.writer
    .insertInto('code_batch')
    .values({ ...input, enabled: 0, created_by: userId, created_time: now, deleted_time: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  let written = 0;
  await runInChunks(db.machine, async () => {
    const some = sealed.slice(written, written + CHUNK_ROWS);
    written += some.length;
    await db.writer
      .insertInto('redemption_code')
      .values(some.map((code) => ({ ...code, ...NEW_CODE, batch_id: id })))
      .execute();
    return written < sealed.length;
  });
  await db.writer.updateTable('code_batch').set({ enabled: 1, deleted_time: null }).where('id', '=', id).execute();
  return { id: id as CodeBatchId, codes };
}

/** Generates and seals codes in chunks: thousands take half a second, in which other requests must be served. */
async function generateCodes(ctx: Context, { count, prefix }: Pick<z.output<typeof createSchema>, 'count' | 'prefix'>) {
  const codes: string[] = [];
  const sealed: ReturnType<typeof buildCodeColumns>[] = [];
  while (codes.length < count) {
    if (codes.length % CHUNK_ROWS === 0) await setImmediate();
    const code = generateCode(prefix);
    codes.push(code);
    sealed.push(buildCodeColumns(ctx, code));
  }
  return { codes, sealed };
}

/** @throws AppError */
export function checkInFuture({ clock }: Context, expiresTime: number): void {
  if (expiresTime !== 0 && expiresTime <= nowSeconds(clock))
    throw fieldError('expires_time', 'past', 'This time is in the past');
}
