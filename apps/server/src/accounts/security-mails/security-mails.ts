/** Security mails about events of an account, so that its owner notices an attack. */
import { mailPreferences } from '@switchyard/contract/accounts/profile';
import type { Context } from '../../context.ts';
import { isMailConfigured, queueMail, type TemplateName, type TemplateValues } from '../../operations/mail/mail.ts';
import {
  createLocalLimit,
  createRateLimit,
  type LocalLimit,
  type RateLimit,
} from '../../platform/limits/rate-limit.ts';
import { chooseMailLanguage } from '../users/users.ts';

const MAILS_PER_HOUR = 10;
const HOUR_MS = 3_600_000;

/** Limit of each server of this process: events that a user causes would otherwise delay the mails to others. */
const limits = new WeakMap<Context, { mails: RateLimit; logLines: LocalLimit }>();

function getLimits(ctx: Context) {
  const known = limits.get(ctx) ?? {
    mails: createRateLimit(ctx, 'security mails', MAILS_PER_HOUR, HOUR_MS),
    logLines: createLocalLimit(ctx.clock, 1, HOUR_MS),
  };
  limits.set(ctx, known);
  return known;
}

/**
 * Queues a mail, only to a verified address; without one, or without a mail server, nothing is sent. Drops the mail when
 * the account has reached its limit for the template, and logs that once an hour.
 */
export async function mailOwner<K extends TemplateName>(
  ctx: Context,
  userId: number,
  template: K,
  values: TemplateValues[K],
): Promise<void> {
  const user = await ctx.db.writer
    .selectFrom('user')
    .select(['email', 'email_verified_time', 'language', 'notices'])
    .where('id', '=', userId)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (user === undefined || user.email === '' || user.email_verified_time === null) return;
  if (template === 'new-sign-in' && !mailPreferences.parse(JSON.parse(user.notices)).new_sign_in) return;
  if (!isMailConfigured(ctx)) return;
  const { mails, logLines } = getLimits(ctx);
  // By template, so that many mails of one kind, which a thief can cause, do not suppress another.
  const kind = `${userId} ${template}`;
  if (!(await mails.tryConsume(kind))) {
    if (logLines.tryConsume(kind))
      ctx.log.warn({ user: userId, template }, 'a security mail was dropped: too many for this account within an hour');
    return;
  }
  const language = chooseMailLanguage(ctx, user.language);
  await queueMail(ctx, { to: user.email, template, language, values });
}
