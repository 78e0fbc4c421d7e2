/** Codes that verify a mail address: eight digits, ten minutes, five tries, only for the requesting browser. */
import type { Context } from '../../context.ts';
import { queueMail } from '../../operations/mail/mail.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import { consumeCode, issueCode, restoreCode } from '../one-time-secrets/one-time-secrets.ts';
import { chooseMailLanguage, findAccountByMail } from '../users/users.ts';

const CODE_MINUTES = 10;

export interface ConsumedMailCode {
  deviceHash: string;
  email: string;
  code: string;
  expiresAt: number;
}

/**
 * Mails a code, or informs an address with an account that it has one. A code is created and one mail is queued in both
 * cases, so that neither the response nor its time reveals which.
 * @param to.callerId signed-in user, who may verify their own address again
 */
export async function sendMailCode(
  ctx: Context,
  deviceHash: string,
  { email, language, callerId }: { email: string; language: string; callerId: number | undefined },
): Promise<void> {
  const expiresAt = nowSeconds(ctx.clock) + CODE_MINUTES * 60;
  const code = await issueCode(ctx, { ...scopeOf(deviceHash, email), seconds: CODE_MINUTES * 60, data: { expiresAt } });
  const holder = await findAccountByMail(ctx.db.writer, email);
  const mail = { to: email, language: chooseMailLanguage(ctx, holder?.language || language), expiresAt };
  if (holder === undefined || holder.id === callerId) {
    await queueMail(ctx, { ...mail, template: 'verification-code', values: { code, minutes: CODE_MINUTES } });
    return;
  }
  const site = requirePublicAddress(ctx);
  await queueMail(ctx, {
    ...mail,
    template: 'already-registered',
    values: { signInLink: `${site}/login`, resetLink: `${site}/reset` },
  });
}

/** @throws AppError `wrong-code` */
export async function consumeMailCode(
  ctx: Context,
  deviceHash: string,
  email: string,
  code: string,
): Promise<ConsumedMailCode> {
  const taken = await consumeCode(ctx, scopeOf(deviceHash, email), code);
  if (taken === undefined)
    throw new AppError('wrong-code', 'This code is wrong or no longer valid. Request a new one.');
  return { deviceHash, email, code, expiresAt: expiryOf(taken.data) };
}

/** Restores a consumed code when its purpose failed, with the same expiry. */
export async function restoreMailCode(
  ctx: Context,
  { deviceHash, email, code, expiresAt }: ConsumedMailCode,
): Promise<void> {
  const seconds = expiresAt - nowSeconds(ctx.clock);
  await restoreCode(ctx, { ...scopeOf(deviceHash, email), seconds, data: { expiresAt } }, code);
}

/** @throws AppError when registration is limited to other domains */
export function checkEmailDomain({ settings }: Context, email: string): void {
  if (!settings.emailDomainRestriction) return;
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (settings.emailDomains.includes(domain)) return;
  throw fieldError('email', 'domain-not-allowed', 'Email addresses of this domain cannot be used to register');
}

const scopeOf = (deviceHash: string, email: string) =>
  ({ purpose: 'mail-code', deviceHash, subject: email.toLowerCase() }) as const;

function expiryOf(data: unknown): number {
  const known = typeof data === 'object' && data !== null && 'expiresAt' in data ? data.expiresAt : 0;
  return typeof known === 'number' ? known : 0;
}
