/**
 * Mail queue in the database. Each mail is sent at least once: when the server's response is lost, or the process
 * dies before it is recorded, the mail is sent again under the same message id.
 */
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { createLaneTurns } from '../../db/lane-turns.ts';
import { pluckIds, processRowsInChunks } from '../../db/process-in-chunks.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { claimFirst, findDueInTurn, startTableQueue } from '../../platform/table-queue.ts';
import { MailError } from './mail-error.ts';
import type { MailTable } from './table.ts';

const CONNECTIONS_MAX = 2;

/** Seconds between the starts of attempts; each exceeds the duration of an attempt. */
const RETRY_DELAYS = [30, 120, 600, 3_600, 21_600] as const;
const FAILED_KEPT_SECONDS = 7 * 86_400;
/** Longest lifetime of a link or a code in a mail. */
const EXPIRING_SECONDS = 15 * 60;

const isWaiting = sql<boolean>`mail.state = 'waiting'`;

/** @throws MailError when the mail was not accepted */
type Send = (mail: MailTable, stop: AbortSignal) => Promise<unknown>;

/** Starts the queue. Returns a function that stops it. */
export function startMailQueue(ctx: Context, send: Send): () => Promise<void> {
  const findNextRecipient = createLaneTurns<string>({
    table: 'mail',
    lane: 'recipient',
    start: '',
    due: 'next_try_time',
    isWaiting,
  });
  return startTableQueue<MailTable>(ctx, {
    topic: 'mail',
    slots: CONNECTIONS_MAX,
    laneOf: ({ recipient }) => recipient,
    claim: (running) => claimNextMail(ctx, running, (now) => findNextRecipient(ctx.db.writer, now, running)),
    attempt: (mail, stop) => attemptMail(ctx, mail, send, stop),
  });
}

/**
 * Claims a due mail: its next attempt is stored before this one begins, in case the process dies. Mails that expire soon
 * are first, such as links and codes; the others follow in turns by recipient, so that many mails to one don't delay
 * those to others.
 */
async function claimNextMail(
  ctx: Context,
  running: readonly string[],
  findNextRecipient: (now: number) => Promise<string | undefined>,
): Promise<MailTable | undefined> {
  const now = nowSeconds(ctx.clock);
  const selectDue = () =>
    ctx.db.writer
      .selectFrom('mail')
      .select(['id', 'tries', 'next_try_time'])
      .where(isWaiting)
      .where('next_try_time', '<=', now)
      .limit(1);
  const findExpiring = () =>
    selectDue()
      .where('expires_time', '<=', now + EXPIRING_SECONDS)
      .where('recipient', 'not in', running)
      .orderBy('expires_time')
      .executeTakeFirst();
  const findOther = (recipient: string) =>
    selectDue().where('recipient', '=', recipient).orderBy('next_try_time').executeTakeFirst();
  return claimFirst(
    async () => (await findExpiring()) ?? findDueInTurn(() => findNextRecipient(now), findOther),
    ({ id, tries, next_try_time }) =>
      ctx.db.writer
        .updateTable('mail')
        .set({ tries: tries + 1, next_try_time: now + (RETRY_DELAYS[tries] ?? RETRY_DELAYS[4]) })
        .where('id', '=', id)
        .where('state', '=', 'waiting')
        .where('next_try_time', '=', next_try_time)
        .returningAll()
        .executeTakeFirst(),
  );
}

async function attemptMail(ctx: Context, mail: MailTable, send: Send, stop: AbortSignal): Promise<void> {
  try {
    if (mail.expires_time <= nowSeconds(ctx.clock))
      throw new MailError('The mail expired before it could be sent', true);
    await send(mail, stop);
    await ctx.db.writer.deleteFrom('mail').where('id', '=', mail.id).execute();
  } catch (error) {
    if (stop.aborted) await rescheduleAfterRestart(ctx, mail);
    else await recordFailure(ctx, mail, error);
  }
}

async function rescheduleAfterRestart(ctx: Context, mail: MailTable): Promise<void> {
  await ctx.db.writer
    .updateTable('mail')
    .set({ next_try_time: nowSeconds(ctx.clock) })
    .where('id', '=', mail.id)
    .execute();
}

/** Records a failure; the content of a mail that is not retried is erased. */
async function recordFailure(ctx: Context, mail: MailTable, error: unknown): Promise<void> {
  const isOver =
    (error instanceof MailError && error.permanent) ||
    mail.tries > RETRY_DELAYS.length ||
    mail.next_try_time >= mail.expires_time;
  const isSafeToShow = error instanceof MailError || error instanceof AppError;
  const reason = isSafeToShow ? error.message : 'The mail could not be created';
  const { id, template } = mail;
  ctx.log.warn({ mail: id, template, reason, isOver, ...(isSafeToShow ? {} : { err: error }) }, 'a mail was not sent');
  await ctx.db.writer
    .updateTable('mail')
    .set({ last_error: reason, ...(isOver ? { state: 'failed', values_sealed: '' } : {}) })
    .where('id', '=', mail.id)
    .execute();
}

/** Removes mails that failed a week ago. @returns the number of removed mails */
export function removeOldMail({ db, clock }: Context, stopping?: AbortSignal): Promise<number> {
  const before = nowSeconds(clock) - FAILED_KEPT_SECONDS;
  return processRowsInChunks(
    db,
    (trx) => trx.selectFrom('mail').select('id').where('state', '=', 'failed').where('created_time', '<=', before),
    (trx, mails) => trx.deleteFrom('mail').where('id', 'in', pluckIds(mails)).execute(),
    stopping,
  );
}
