/** First start: creates the root account, groups and prices, so that the first call works. */
import { username as usernameSchema } from '@switchyard/contract/accounts/account-fields';
import type { createRoot as createRootSchema } from '@switchyard/contract/accounts/set-up';
import { sql } from 'kysely';
import type { z } from 'zod';
import { addShippedPrices } from '../../catalog/prices/prices.ts';
import { ConfigError } from '../../config.ts';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { checkPasswordIsUncommon, isPasswordCommon } from '../../platform/secrets/password-hashing.ts';
import { isSecretUsable, issueSecret, revokeSecrets } from '../one-time-secrets/one-time-secrets.ts';
import { createDefaultGroups } from '../user-groups/user-groups.ts';
import { createAccount, rootExists } from '../users/users.ts';

/**
 * Scope of the set-up code. Stored in the database, so that any node behind a load balancer accepts a code that
 * another node printed.
 */
const setUpLink = { purpose: 'set-up', deviceHash: '' } as const;
/** Long, because the next start replaces it anyway. */
const LINK_SECONDS = 365 * 86_400;

/**
 * Fills an empty database and creates the root account that the environment names.
 * @returns the one-time code of the set-up link when no root account exists
 * @throws ConfigError for a name or a password of the environment that the set-up link refuses too
 */
export async function prepareFirstStart(ctx: Context): Promise<string | undefined> {
  await fillEmptyDatabase(ctx);
  if (await rootExists(ctx.db.writer)) return undefined;
  if (ctx.config.root !== undefined) {
    const root = parseRootAccount(ctx.config.root);
    await createAccount(ctx, { ...root, group: 'default', role: 'root' }).catch(ignoreSetUpDone);
    return undefined;
  }
  await revokeEarlierLinks(ctx);
  return issueSecret(ctx, { ...setUpLink, seconds: LINK_SECONDS });
}

/**
 * Checks the root account of the environment only when it is created: a later start does not need it.
 * @throws ConfigError that repeats no value
 */
function parseRootAccount({ username, password }: { username: string; password: string }) {
  const name = usernameSchema.safeParse(username);
  if (!name.success) throw new ConfigError(`ROOT_USERNAME: ${name.error.issues[0]?.message ?? 'Invalid name'}`);
  if (isPasswordCommon(password))
    throw new ConfigError('ROOT_PASSWORD: This password is too common. Choose another one.');
  return { username: name.data, password };
}

/** Ignores the error that set-up is done: when nodes start together, only one of them does it. */
function ignoreSetUpDone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'set-up-done')) throw error;
}

/**
 * Revokes links of earlier starts, unless other nodes are running. A single statement, so that a node that starts
 * concurrently keeps its own.
 */
async function revokeEarlierLinks({ db }: Context): Promise<void> {
  await db.writer
    .deleteFrom('one_time')
    .where('purpose', '=', setUpLink.purpose)
    .where(
      (eb) =>
        eb.selectFrom('node').select(eb.fn.countAll().as('living')).where('lease_until', '>', sql<number>`unixepoch()`),
      '<=',
      1,
    )
    .execute();
}

/** Creates groups and prices if there are none. */
export async function fillEmptyDatabase(ctx: Pick<Context, 'db' | 'clock' | 'changes'>): Promise<void> {
  const group = await ctx.db.writer.selectFrom('user_group').select('id').limit(1).executeTakeFirst();
  if (group !== undefined) return;
  await createDefaultGroups(ctx);
  await addShippedPrices(ctx);
}

/** @throws AppError `set-up-done` when root exists, `link-expired` for a wrong code */
export async function checkSetUpCode(ctx: Context, code: string): Promise<void> {
  if (await rootExists(ctx.db.writer)) throw new AppError('set-up-done', 'The root account already exists');
  if (!(await isSecretUsable(ctx, setUpLink, code)))
    throw new AppError('link-expired', 'This setup link is invalid. Use the link that the latest start printed.');
}

/**
 * Creates the root account; the code works once.
 * @throws AppError as `checkSetUpCode` does, and `invalid-input` for a common password
 */
export async function createRoot(
  ctx: Context,
  { code, username, password }: z.output<typeof createRootSchema>,
): Promise<number> {
  await checkSetUpCode(ctx, code);
  checkPasswordIsUncommon(password);
  const id = await createAccount(ctx, { username, password, group: 'default', role: 'root' });
  await revokeSecrets(ctx, setUpLink);
  return id;
}
