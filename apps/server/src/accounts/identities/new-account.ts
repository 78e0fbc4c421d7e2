/** The account of somebody whom a provider has recognised and nobody here knows. */
import { username as usernameRule } from '@switchyard/contract/accounts/account';
import type { IdentityProvider } from '@switchyard/contract/accounts/identities';
import type { UserId } from '@switchyard/contract/ids';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { findInviter } from '../invitations/invitations.ts';
import { checkDomain } from '../sign-up/sign-up.ts';
import { createAccount, findHolderOfName, selectByMail } from '../users/users.ts';
import type { Person } from './identity-provider.ts';
import { insertIdentity, lastUserId } from './queries.ts';

/** Maximum length of a display name, the same as in profiles. */
const NAME_MAX = 32;

/**
 * Makes it together with its identity. It has no password.
 * @throws AppError `bind-first` when an account has proven the same mail address; a refusal while nobody may register
 */
export async function makeAccount(
  ctx: Context,
  provider: IdentityProvider,
  person: Person,
  aff: string,
): Promise<UserId> {
  const { registerEnabled, registerInviteOnly } = ctx.settings;
  const inviterId = await findInviter(ctx, aff);
  if (!registerEnabled || (registerInviteOnly && inviterId === undefined)) throw noAccount();
  const email = await freeMail(ctx, person.email);
  return createAccount(
    ctx,
    {
      username: await nameFor(ctx, provider, person.label),
      role: 'user',
      group: 'default',
      display_name: person.name.slice(0, NAME_MAX).toWellFormed(),
      avatar_url: person.avatar ?? '',
      ...(email === undefined ? {} : { email, emailIsProven: true }),
      inviterId,
      person: `${provider}:${person.issuer}:${person.subject}`,
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

/** The same for whom nobody knows, for a disabled account and for a deleted one. */
export function noAccount(): AppError {
  return new AppError(
    'switched-off',
    'No account is connected to this sign-in, and a new one cannot be created',
  );
}

/** The proven address for the new account, unless an account has it already, proven or not. */
async function freeMail(ctx: Context, address: string | undefined): Promise<string | undefined> {
  if (ctx.settings.emailDomainRestriction) checkDomain(ctx, address ?? '');
  if (address === undefined) return undefined;
  const others = await selectByMail(ctx.db.writer, address).select('email_verified_time').execute();
  if (others.some(({ email_verified_time }) => email_verified_time !== null))
    throw new AppError(
      'bind-first',
      'An account with this email address already exists. Sign in to it first, then connect the provider.',
    );
  return others.length === 0 ? address : undefined;
}

async function nameFor(ctx: Context, provider: IdentityProvider, label: string): Promise<string> {
  const wanted = usernameRule.safeParse(label);
  const isTaken = async (name: string) => (await findHolderOfName(ctx.db.writer, name)) !== undefined;
  if (wanted.success && !(await isTaken(wanted.data))) return wanted.data;
  let number = (await lastUserId(ctx.db.writer)) + 1;
  while (await isTaken(`${provider}_${number}`)) number += 1;
  return `${provider}_${number}`;
}
