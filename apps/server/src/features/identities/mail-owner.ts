import { settingDefinitions } from '@switchyard/contract/settings';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import type { Schema } from '../../db/schema.ts';
import { queueMail } from '../../notify/mail.ts';

/** Tells the account's owner who can sign in to it now; only at an address that is proven to be theirs. */
export async function mailOwner(
  ctx: Context,
  trx: Kysely<Schema>,
  userId: number,
  template: 'identity-bound' | 'identity-unbound',
  provider: string,
): Promise<void> {
  const { email, email_verified_time, language } = await trx
    .selectFrom('user')
    .select(['email', 'email_verified_time', 'language'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  if (email === '' || email_verified_time === null) return;
  const known = settingDefinitions.language.schema.safeParse(language);
  const mail = { to: email, template, values: { provider }, language: known.data ?? ctx.settings.language };
  await queueMail(ctx, mail, trx);
}
