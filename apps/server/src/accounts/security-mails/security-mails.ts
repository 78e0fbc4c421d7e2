/** Security mails about events of an account, so that its owner notices an attack. */
import { mailPreferences } from '@switchyard/contract/accounts/profile';
import type { Context } from '../../context.ts';
import { queueMail, type TemplateName, type TemplateValues } from '../../operations/mail/mail.ts';
import { chooseMailLanguage } from '../users/users.ts';

/** Queues a mail, only to a verified address; without one, or without a mail server, nothing is sent. */
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
  const language = chooseMailLanguage(ctx, user.language);
  await queueMail(ctx, { to: user.email, template, language, values });
}
