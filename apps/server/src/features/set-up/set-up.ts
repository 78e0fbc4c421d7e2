/** The first start: a root account, groups and prices, so that the first call works. */
import { createHash, randomBytes } from 'node:crypto';
import type { createRoot as createRootSchema } from '@switchyard/contract/set-up';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/app-error.ts';
import { equalSecrets } from '../../platform/vault.ts';
import { addShippedPrices } from '../prices/prices.ts';
import { createDefaultGroups } from '../user-groups/user-groups.ts';
import { createAccount, rootExists } from '../users/users.ts';

/** Hashes of the codes that were printed; a code lives as long as the process that printed it. */
const codes = new WeakMap<Context, string>();

/**
 * Fills an empty database and makes the root account that the environment names.
 * @returns the one-time code of the set-up link when no root account exists
 */
export async function prepareFirstStart(ctx: Context): Promise<string | undefined> {
  await fillEmptyDatabase(ctx);
  if (await rootExists(ctx.db.writer)) return undefined;
  if (ctx.config.root !== undefined) {
    await createAccount(ctx, { ...ctx.config.root, group: 'default', role: 'root' });
    return undefined;
  }
  const code = randomBytes(32).toString('base64url');
  codes.set(ctx, hash(code));
  return code;
}

/** Groups and prices, where there are none yet. */
export async function fillEmptyDatabase(ctx: Pick<Context, 'db' | 'clock' | 'changes'>): Promise<void> {
  const group = await ctx.db.writer.selectFrom('user_group').select('id').limit(1).executeTakeFirst();
  if (group !== undefined) return;
  await createDefaultGroups(ctx);
  await addShippedPrices(ctx);
}

/** @throws AppError `set-up-done` when root exists, `wrong-credentials` for a wrong code */
export async function checkSetUpCode(ctx: Context, code: string): Promise<void> {
  if (await rootExists(ctx.db.writer)) throw new AppError('set-up-done', 'The root account exists already');
  const expected = codes.get(ctx);
  if (expected === undefined || !equalSecrets(hash(code), expected))
    throw new AppError(
      'wrong-credentials',
      'This set-up link is not valid; the latest start printed another',
    );
}

/** Makes the root account; the code works once. */
export async function createRoot(
  ctx: Context,
  { code, username, password }: z.output<typeof createRootSchema>,
): Promise<number> {
  await checkSetUpCode(ctx, code);
  const id = await createAccount(ctx, { username, password, group: 'default', role: 'root' });
  codes.delete(ctx);
  return id;
}

const hash = (code: string): string => createHash('sha256').update(code).digest('base64url');
