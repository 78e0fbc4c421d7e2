/** Accounts elsewhere by which people sign in here. Provider, issuer and subject are the only key to an account. */
import type { Identity, IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { Self } from '@switchyard/contract/accounts/profile';
import type { UserId } from '@switchyard/contract/ids';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, alreadyExists, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Call } from '../../platform/http/mount-routes.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { completeSignIn } from '../sign-in/sign-in.ts';
import { checkWayInIsLeft } from '../users/users.ts';
import type { Attempt, AttemptCall } from './attempts.ts';
import { type Person, type Provider, refusalOf } from './identity-provider.ts';
import { makeAccount, noAccount } from './new-account.ts';
import { deleteIdentity, findOwner, insertIdentity, listOf, sessionIsOf, updateLabel } from './queries.ts';

export { testProvider } from './test-provider.ts';

/**
 * Asks the provider who came back.
 * @throws AppError `link-expired` or `wrong-code` for a code that is not good, `upstream-failed` when the provider failed
 */
export async function identify(
  ctx: Context,
  provider: Provider,
  returned: { code: string; iss: string },
  { proof }: Attempt,
): Promise<Person> {
  try {
    return await provider.identify(ctx, returned, proof);
  } catch (error) {
    throw refusalOf(ctx, provider, error);
  }
}

/**
 * Binds for whoever began to; else signs in, to a new account where the identity is unknown.
 * @returns null when it was bound
 */
export async function finish(
  ctx: Context,
  call: AttemptCall,
  provider: Provider,
  { attempt: { binder }, person, aff }: { attempt: Attempt; person: Person; aff: string },
): Promise<Self | null> {
  if (binder === undefined) return signInBy(ctx, call, provider.name, person, aff);
  await bind(ctx, call, provider, person, binder);
  call.setMessage('bind');
  return null;
}

async function signInBy(
  ctx: Context,
  call: AttemptCall,
  provider: IdentityProvider,
  person: Person,
  aff: string,
): Promise<Self> {
  const key = { provider, issuer: person.issuer, subject: person.subject };
  const owner = await findOwner(ctx.db.writer, key);
  if (owner !== undefined && (owner.status !== 'enabled' || owner.deleted_time !== null)) throw noAccount();
  if (owner !== undefined) await updateLabel(ctx.db.writer, key, person.label);
  const userId = owner?.id ?? (await makeAccount(ctx, provider, person, aff));
  const byThemselves = { ...call, caller: { userId: userId as UserId } };
  const entry = { target: `user:${userId}`, detail: { provider } };
  if (owner === undefined) await audit(ctx, byThemselves, { action: 'user.register', ...entry });
  const self = await completeSignIn(ctx, call, userId, provider);
  await audit(ctx, byThemselves, { action: 'session.start', ...entry });
  return self;
}

async function bind(
  ctx: Context,
  call: AttemptCall,
  { name: provider, title }: Provider,
  { issuer, subject, label }: Person,
  { userId, session }: { userId: number; session: string },
): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    // While the provider was asked, the session may have been ended.
    if (!(await sessionIsOf(trx, session, userId)))
      throw new AppError('not-signed-in', 'The session that started this has ended');
    if ((await findOwner(trx, { provider, issuer, subject })) !== undefined)
      throw alreadyExists('type', `This ${title} account is already connected`);
    if ((await listOf(trx, userId)).some((bound) => bound.provider === provider))
      throw new AppError('conflict', `Another ${title} account is already connected. Remove it first.`);
    const created_time = nowSeconds(ctx.clock);
    await insertIdentity(trx, { provider, issuer, subject, user_id: userId, label, created_time });
  });
  await mailOwner(ctx, userId, 'identity-bound', { provider: title });
  await audit(ctx, call, { action: 'identity.bind', target: `user:${userId}`, detail: { provider } });
}

export async function listIdentities(ctx: Context, { userId }: Caller): Promise<Identity[]> {
  const rows = await listOf(ctx.db.writer, userId);
  return rows.map(({ provider, label, created_time }) => ({
    provider: provider as IdentityProvider,
    label,
    created_time,
  }));
}

/** @throws AppError `not-found`; `conflict` for the last way to sign in */
export async function unbind(
  ctx: Context,
  call: Call<'user'>,
  { name: provider, title }: Provider,
): Promise<void> {
  const { userId } = call.caller;
  await ctx.db.writer.transaction().execute(async (trx) => {
    if (!(await deleteIdentity(trx, userId, provider))) throw notFound('connected account');
    await checkWayInIsLeft(trx, userId);
  });
  await mailOwner(ctx, userId, 'identity-unbound', { provider: title });
  await audit(ctx, call, { action: 'identity.unbind', target: `user:${userId}`, detail: { provider } });
}
