/** Password reset by a link in a mail: 256 bits, fifteen minutes, once. */
import type { newPassword } from '@switchyard/contract/accounts/sign-up';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { Context } from '../../context.ts';
import { queueMail } from '../../operations/mail/mail.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { checkPasswordIsUncommon, hashPassword } from '../../platform/secrets/password-hashing.ts';
import { removeUserAccessTokens } from '../access-tokens/access-tokens.ts';
import { endAllSessionsIn, forgetDevices, rememberDevice } from '../authentication/authentication.ts';
import { consumeSecret, issueSecret } from '../one-time-secrets/one-time-secrets.ts';
import { chooseMailLanguage, findAccountByMail } from '../users/users.ts';

const LINK_MINUTES = 15;
/** Not bound to a browser, because mails are often opened in another one. */
const scope = { purpose: 'password-reset', deviceHash: '' } as const;

/** Mails a link to the account with this address, if there is one. */
export async function sendResetLink(ctx: Context, email: string): Promise<void> {
  const user = await findAccountByMail(ctx.db.writer, email);
  if (user?.status !== 'enabled') return;
  const token = await issueSecret(ctx, {
    ...scope,
    userId: user.id,
    subject: user.email.toLowerCase(),
    seconds: LINK_MINUTES * 60,
  });
  await queueMail(ctx, {
    to: user.email,
    template: 'password-reset',
    language: chooseMailLanguage(ctx, user.language),
    values: {
      // The fragment reaches neither logs nor other sites.
      link: `${requirePublicAddress(ctx)}/user/reset?email=${encodeURIComponent(user.email)}#token=${token}`,
      minutes: LINK_MINUTES,
    },
    expiresAt: nowSeconds(ctx.clock) + LINK_MINUTES * 60,
  });
}

/**
 * Sets the new password. All sessions and access tokens end, and all known devices except this one are forgotten.
 * @returns the user's id
 * @throws AppError `link-expired` for a link that is unknown, used, too old, or of another address or a disabled
 * account
 */
export async function resetPassword(
  ctx: Context,
  call: { deviceHash(): string },
  { email, token, password }: z.output<typeof newPassword>,
): Promise<number> {
  checkPasswordIsUncommon(password);
  // Hashed before the link is consumed, so that a busy server does not use the link up; and in any case, so that the
  // time does not reveal whether it is valid.
  const passwordHash = await hashPassword(password);
  const userId = await ctx.db.writer.transaction().execute(async (trx) => {
    const link = await consumeSecret(ctx, scope, token, trx);
    if (link?.userId === undefined || link.subject !== email.toLowerCase()) throw expired();
    const user = await trx
      .updateTable('user')
      .set({ password_hash: passwordHash })
      .where('id', '=', link.userId)
      .where('status', '=', 'enabled')
      .where('deleted_time', 'is', null)
      .where(sql`lower(email)`, '=', link.subject)
      .returning(['id', 'email', 'language'])
      .executeTakeFirst();
    if (user === undefined) throw expired();
    await endAllSessionsIn(trx, user.id);
    await removeUserAccessTokens(trx, user.id);
    await forgetDevices(trx, user.id);
    const language = chooseMailLanguage(ctx, user.language);
    await queueMail(ctx, { to: user.email, template: 'password-changed', language, values: {} }, trx);
    return user.id;
  });
  await rememberDevice(ctx, userId, call.deviceHash());
  return userId;
}

const expired = () => new AppError('link-expired', 'This link is no longer valid. Request a new one.');
