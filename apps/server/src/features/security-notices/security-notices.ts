/** Mails that tell people what happened to their account, so that they notice what they did not do themselves. */
import { languageOf } from '@switchyard/contract/account';
import type { Context } from '../../context.ts';
import { queueMail } from '../../notify/mail.ts';
import type { TemplateName, TemplateValues } from '../../notify/templates/template.ts';

/** Only to an address that was proven to be theirs; without one, or without a mail server, nobody is told. */
export async function tellOwner<K extends TemplateName>(
  ctx: Context,
  userId: number,
  template: K,
  values: TemplateValues[K],
): Promise<void> {
  const user = await ctx.db.writer
    .selectFrom('user')
    .select(['email', 'email_verified_time', 'language'])
    .where('id', '=', userId)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (user === undefined || user.email === '' || user.email_verified_time === null) return;
  const language = languageOf(user.language) ?? ctx.settings.language;
  await queueMail(ctx, { to: user.email, template, language, values });
}
