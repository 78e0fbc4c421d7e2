/** Third-party identities by which users sign in. Provider, issuer and subject are the only key to an account. */

import { randomBytes } from 'node:crypto';
import { username as usernameRule } from '@switchyard/contract/accounts/account-fields';
import type { Identity, IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { Self } from '@switchyard/contract/accounts/profile';
import type { UserId } from '@switchyard/contract/ids';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { audit } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, alreadyExists, notFound } from '../../platform/http/app-error.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Call } from '../../platform/http/mount-routes.ts';
import type { Schema } from '../../schema.ts';
import { requireCredential } from '../authentication/authentication.ts';
import { findInviter } from '../invitations/invitations.ts';
import { mailOwner } from '../security-mails/security-mails.ts';
import { completeSignIn } from '../sign-in/sign-in.ts';
import { checkEmailDomain } from '../sign-up/sign-up.ts';
import { createAccount, findUserByUsername, requireSignInMethod, selectAccountByMail } from '../users/users.ts';
import {
  type IdentityProviderClient,
  InvalidProviderCodeError,
  type ProviderUser,
  toSignInError,
} from './identity-provider.ts';
import { createOAuthParameters, type IdentityAttempt, type IdentityCall } from './oauth-state.ts';
import { github } from './providers/github.ts';
import { lark } from './providers/lark.ts';
import { createOidc } from './providers/oidc.ts';
import { wechat } from './providers/wechat.ts';
import { deleteIdentity, findIdentityOwner, insertIdentity, listUserIdentities, updateLabel } from './queries.ts';

const providerFactories: Readonly<Record<IdentityProvider, () => IdentityProviderClient>> = {
  github: () => github,
  // A new client, so that cached discovery results are not used.
  oidc: createOidc,
  lark: () => lark,
  wechat: () => wechat,
};

/**
 * Tests a provider with a random code. A provider that rejects only the code has accepted the rest of the
 * configuration.
 * @throws Error with the provider's reason
 */
export async function testProvider(ctx: Context, name: IdentityProvider): Promise<void> {
  const code = randomBytes(32).toString('base64url');
  const proof = createOAuthParameters(ctx, name);
  try {
    await providerFactories[name]().identify(ctx, { code, iss: '' }, proof);
  } catch (error) {
    if (!(error instanceof InvalidProviderCodeError)) throw error;
  }
}

/**
 * Asks the provider for the returning user.
 * @throws AppError `link-expired` or `wrong-code` for an invalid code, `upstream-failed` when the provider failed
 */
export async function identifyProviderUser(
  ctx: Context,
  provider: IdentityProviderClient,
  returned: { code: string; iss: string },
  { proof }: IdentityAttempt,
): Promise<ProviderUser> {
  try {
    return await provider.identify(ctx, returned, proof);
  } catch (error) {
    throw toSignInError(ctx, provider, error);
  }
}

/**
 * Binds the identity when the attempt began in a session; otherwise signs in, creating an account for an unknown
 * identity.
 * @returns null when it was bound
 */
export async function finishIdentityAttempt(
  ctx: Context,
  call: IdentityCall,
  provider: IdentityProviderClient,
  { attempt: { binder }, person, aff }: { attempt: IdentityAttempt; person: ProviderUser; aff: string },
): Promise<Self | null> {
  if (binder === undefined) return signInWithIdentity(ctx, call, provider.name, person, aff);
  await bindIdentity(ctx, call, provider, person, binder);
  call.setMessage('bind');
  return null;
}

async function signInWithIdentity(
  ctx: Context,
  call: IdentityCall,
  provider: IdentityProvider,
  person: ProviderUser,
  aff: string,
): Promise<Self> {
  const key = { provider, issuer: person.issuer, subject: person.subject };
  const owner = await findIdentityOwner(ctx.db.writer, key);
  if (owner !== undefined && (owner.status !== 'enabled' || owner.deleted_time !== null)) throw noAccountError();
  if (owner !== undefined) await updateLabel(ctx.db.writer, key, person.label);
  const userId = owner?.id ?? (await createIdentityAccount(ctx, provider, person, aff));
  const byThemselves = { ...call, caller: { userId: userId as UserId } };
  const entry = { target: `user:${userId}`, detail: { provider } };
  if (owner === undefined) await audit(ctx, byThemselves, { action: 'user.register', ...entry });
  const self = await completeSignIn(ctx, call, userId, provider);
  await audit(ctx, byThemselves, { action: 'session.start', ...entry });
  return self;
}

async function bindIdentity(
  ctx: Context,
  call: IdentityCall,
  { name: provider, title }: IdentityProviderClient,
  { issuer, subject, label }: ProviderUser,
  { userId, session }: NonNullable<IdentityAttempt['binder']>,
): Promise<void> {
  await ctx.db.writer.transaction().execute(async (trx) => {
    // The session may have ended during the call to the provider.
    await requireCredential(ctx, trx, { userId, sessionIdHash: session, accessTokenId: undefined });
    if ((await findIdentityOwner(trx, { provider, issuer, subject })) !== undefined)
      throw alreadyExists('type', `This ${title} account is already connected`);
    if ((await listUserIdentities(trx, userId)).some((bound) => bound.provider === provider))
      throw new AppError('conflict', `Another ${title} account is already connected. Remove it first.`);
    const created_time = nowSeconds(ctx.clock);
    await insertIdentity(trx, { provider, issuer, subject, user_id: userId, label, created_time });
  });
  await mailOwner(ctx, userId, 'identity-bound', { provider: title });
  await audit(ctx, call, { action: 'identity.bind', target: `user:${userId}`, detail: { provider } });
}

export async function listIdentities(ctx: Context, { userId }: Caller): Promise<Identity[]> {
  const rows = await listUserIdentities(ctx.db.writer, userId);
  return rows.map(({ provider, label, created_time }) => ({
    provider: provider as IdentityProvider,
    label,
    created_time,
  }));
}

/** @throws AppError `not-found`; `conflict` for the last sign-in method */
export async function unbindIdentity(
  ctx: Context,
  call: Call<'user'>,
  { name: provider, title }: IdentityProviderClient,
): Promise<void> {
  const { userId } = call.caller;
  await ctx.db.writer.transaction().execute(async (trx) => {
    await requireCredential(ctx, trx, call.caller);
    if (!(await deleteIdentity(trx, userId, provider))) throw notFound('connected account', title);
    await requireSignInMethod(trx, userId);
  });
  await mailOwner(ctx, userId, 'identity-unbound', { provider: title });
  await audit(ctx, call, { action: 'identity.unbind', target: `user:${userId}`, detail: { provider } });
}

/** Creates the account of a provider's user who is unknown here. */

/** Maximum length of a display name, the same as in profiles. */
const NAME_MAX = 32;

/**
 * Creates an account without a password, together with its identity.
 * @throws AppError `bind-first` when an account has verified the same mail address; a refusal while registration is
 * closed
 */
async function createIdentityAccount(
  ctx: Context,
  provider: IdentityProvider,
  person: ProviderUser,
  aff: string,
): Promise<UserId> {
  const { registerEnabled, registerInviteOnly } = ctx.settings;
  const inviterId = await findInviter(ctx, aff);
  if (!registerEnabled || (registerInviteOnly && inviterId === undefined)) throw noAccountError();
  const email = await findUnusedEmail(ctx, person.email);
  return createAccount(
    ctx,
    {
      username: await chooseUsername(ctx, provider, person.label),
      role: 'user',
      group: 'default',
      display_name: person.name.slice(0, NAME_MAX).toWellFormed(),
      avatar_url: person.avatar ?? '',
      ...(email === undefined ? {} : { email, emailIsProven: true }),
      inviterId,
      giftIdentity: `${provider}:${person.issuer}:${person.subject}`,
    },
    (trx, userId) =>
      insertIdentity(trx, {
        provider,
        issuer: person.issuer,
        subject: person.subject,
        user_id: userId,
        label: person.label,
        created_time: nowSeconds(ctx.clock),
      }),
  );
}

/** Returns the same error for an unknown user, a disabled account and a deleted one. */
function noAccountError(): AppError {
  return new AppError(
    'switched-off',
    'No account is connected to this sign-in, and a new one cannot be created. Sign in another way, and connect it in your profile.',
  );
}

/** Returns the verified address for the new account, unless an account already has it, verified or not. */
async function findUnusedEmail(ctx: Context, address: string | undefined): Promise<string | undefined> {
  if (ctx.settings.emailDomainRestriction) checkEmailDomain(ctx, address ?? '');
  if (address === undefined) return undefined;
  const others = await selectAccountByMail(ctx.db.writer, address).select('email_verified_time').execute();
  if (others.some(({ email_verified_time }) => email_verified_time !== null))
    throw new AppError(
      'bind-first',
      'An account with this email address already exists. Sign in to it first, then connect the provider.',
    );
  return others.length === 0 ? address : undefined;
}

async function chooseUsername(ctx: Context, provider: IdentityProvider, label: string): Promise<string> {
  const wanted = usernameRule.safeParse(label);
  const isTaken = async (name: string) => (await findUserByUsername(ctx.db.writer, name)) !== undefined;
  if (wanted.success && !(await isTaken(wanted.data))) return wanted.data;
  let number = (await findLastUserId(ctx.db.writer)) + 1;
  while (await isTaken(`${provider}_${number}`)) number += 1;
  return `${provider}_${number}`;
}

async function findLastUserId(db: Kysely<Schema>): Promise<number> {
  const { last } = await db
    .selectFrom('user')
    .select((eb) => eb.fn.max('id').as('last'))
    .executeTakeFirstOrThrow();
  return last ?? 0;
}
