/** Mail: other features queue it here, by template, in the reader's language. */
import { randomUUID } from 'node:crypto';
import type { Language } from '@switchyard/contract/accounts/account-fields';
import { type MailEntry, type MailState, mailAddress } from '@switchyard/contract/operations/mail';
import type { Page } from '@switchyard/contract/route';
import type { Kysely } from 'kysely';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';
import { toSingleLine } from '../../locales/server-texts.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, fieldError } from '../../platform/http/app-error.ts';
import { requirePublicAddress } from '../../platform/outbound/site-public-address.ts';
import type { Schema } from '../../schema.ts';
import { MailError } from './mail-error.ts';
import { startMailQueue } from './mail-queue.ts';
import { renderMail, type TemplateName, type TemplateValues } from './render-mail.ts';
import { sendBySmtp } from './smtp.ts';
import type { MailTable } from './table.ts';

export { MailError } from './mail-error.ts';
export { removeOldMail } from './mail-queue.ts';
export type { TemplateName, TemplateValues } from './render-mail.ts';

const LIFETIME_SECONDS = 86_400;

export interface NewMail<K extends TemplateName> {
  to: string;
  template: K;
  language: Language;
  values: TemplateValues[K];
  /** UTC seconds after which the mail is useless; absent for a day from now. */
  expiresAt?: number;
}

/** Returns whether mail can be sent: server, sender and the site's public address are set. */
export function isMailConfigured({ settings, config }: Context): boolean {
  return (
    settings.smtpServer !== '' &&
    mailAddress.safeParse(formatSender(settings)).success &&
    (settings.serverAddress !== '' || config.publicUrl !== undefined)
  );
}

/**
 * Queues a mail, which is sent after the transaction commits.
 * @param db transaction of the event
 * @returns false, and queues nothing, when mail is not set up
 * @throws AppError `invalid-input` when `to` is not one plain address
 */
export async function queueMail<K extends TemplateName>(
  ctx: Context,
  { to, template, language, values, expiresAt }: NewMail<K>,
  db: Kysely<Schema> = ctx.db.writer,
): Promise<boolean> {
  if (!mailAddress.safeParse(to).success)
    throw fieldError('email', 'invalid_format', 'This is not a valid email address', 'invalid-input', {
      expected: 'email',
    });
  if (!isMailConfigured(ctx)) return false;
  checkLinks(ctx, values);
  const id = randomUUID();
  const now = nowSeconds(ctx.clock);
  await db
    .insertInto('mail')
    .values({
      id,
      created_time: now,
      recipient: to,
      template,
      values_sealed: ctx.vault.seal('mail', `mail:${id}`, JSON.stringify(values)),
      language,
      tries: 0,
      next_try_time: now,
      expires_time: expiresAt ?? now + LIFETIME_SECONDS,
      last_error: '',
      state: 'waiting',
    })
    .execute();
  await ctx.changes.publish({ topic: 'mail' });
  return true;
}

/** Checks that links lead to this site, so that mails cannot be abused to send others. */
function checkLinks(ctx: Context, values: object): void {
  const { origin } = new URL(requirePublicAddress(ctx));
  for (const [name, value] of Object.entries(values)) {
    if (/link$/i.test(name) && value !== '' && new URL(String(value)).origin !== origin)
      throw new Error(`${name} of a mail links to another site`);
  }
}

/** Starts sending. Returns a function that stops it; running deliveries have a few seconds. */
export function startMailDelivery(ctx: Context): () => Promise<void> {
  return startMailQueue(ctx, (mail, stop) => {
    const values = JSON.parse(ctx.vault.open('mail', `mail:${mail.id}`, mail.values_sealed));
    return sendMail(ctx, { ...mail, to: mail.recipient, values }, stop);
  });
}

/**
 * Sends a test mail at once.
 * @returns the mail server's response
 * @throws AppError `upstream-failed` with the reason, `not-set-up` when something is missing
 */
export async function sendTestMail(ctx: Context, to: string): Promise<string> {
  if (ctx.settings.smtpServer === '')
    throw new AppError('not-set-up', 'The mail server is not configured. Set the SMTP server in the settings.');
  const mail = { id: randomUUID(), to, template: 'smtp-test', language: ctx.settings.language, values: {} } as const;
  try {
    return await sendMail(ctx, mail, new AbortController().signal);
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    throw new AppError('upstream-failed', error.message);
  }
}

/**
 * Makes one attempt to send a queued mail. Its links must lead to this site.
 * @returns the mail server's response
 * @throws MailError when it was not accepted
 */
export async function sendMail<K extends TemplateName>(
  ctx: Context,
  mail: NewMail<K> & { id: string },
  stop: AbortSignal,
): Promise<string> {
  const { settings } = ctx;
  const from = mailAddress.safeParse(formatSender(settings));
  if (!from.success) throw new MailError('The sender’s email address is missing or invalid', false);
  checkLinks(ctx, mail.values);
  const site = { name: settings.systemName, address: requirePublicAddress(ctx) };
  const server = {
    host: settings.smtpServer,
    port: settings.smtpPort,
    account: settings.smtpAccount,
    password: settings.smtpToken,
  };
  return sendBySmtp(
    ctx.outbound,
    server,
    {
      id: mail.id,
      from: { name: toSingleLine(site.name), address: from.data },
      to: mail.to,
      date: ctx.clock.now(),
      ...renderMail(mail.template, mail.values, mail.language, site),
    },
    stop,
  );
}

/** Returns the plain address: the site's name replaces a display name that the operator entered. */
function formatSender({ smtpFrom, smtpAccount }: { smtpFrom: string; smtpAccount: string }): string {
  const from = smtpFrom || smtpAccount;
  return /<([^<>]+)>$/.exec(from)?.[1] ?? from;
}

/** Returns the waiting and failed mails, newest first. */
export function listMail(
  ctx: Context,
  query: { page: number; size: number; order?: string | undefined; state?: MailState | undefined },
): Promise<Page<MailEntry>> {
  let rows = ctx.db.reader.selectFrom('mail').selectAll();
  if (query.state !== undefined) rows = rows.where('state', '=', query.state);
  return readPage(rows, query, {
    columns: { created_time: 'created_time', next_try_time: 'next_try_time', tries: 'tries' },
    fallback: '-created_time',
    tieBreak: 'id',
    present: ({ recipient, ...row }: MailTable) => ({ ...row, to: recipient }),
  });
}
