/** Monthly statements of a user's purchases, charges and balance. They add up to the ledger exactly. */

import type { Statement } from '@switchyard/contract/billing/statements';
import { toMajor } from '@switchyard/contract/billing/top-up-cost';
import { toPoints } from '@switchyard/contract/money';
import type { NotNull } from 'kysely';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { makePdf } from '../documents/documents.ts';
import { readMonthSums } from './month-sums.ts';
import { isOver, type Month, monthNamed, monthOf } from './months.ts';
import { issuerOf, languageFor } from './site-details.ts';
import { statementDocument } from './statement-document.ts';
import { readStoredSums, storeMonth } from './stored-sums.ts';

export { listMonths } from './list-months.ts';
export { makeOrderReceipt } from './order-receipt.ts';
export { statementCsv } from './statement-csv.ts';

type Reading = Pick<Context, 'db' | 'clock' | 'settings'>;

/**
 * Returns the statement as it was stored, or else computes it from the ledger. Reading stores nothing.
 * @param date first day of the month
 * @throws AppError `not-found` for a month that has not begun, and for a deleted user
 */
export async function getStatement(ctx: Reading, userId: number, date: string): Promise<Statement> {
  const now = nowSeconds(ctx.clock);
  const month = monthNamed(date);
  if (month.from > now) throw notFound('statement');
  const final = isOver(month, now);
  const { sums, generated_at } = (final ? await readStoredSums(ctx.db, userId, month) : undefined) ?? {
    sums: await readMonthSums(ctx.db, userId, month),
    generated_at: now,
  };
  return {
    date,
    number: numberOf(date, userId),
    issuer: issuerOf(ctx),
    note: ctx.settings.statementNote,
    ...(await readAddressee(ctx, userId)),
    opening: sums.opening,
    closing: sums.closing,
    movements: sums.movements,
    models: sums.models.map((model) => ({ date, ...model })),
    payments: await readPayments(ctx, userId, month),
    final,
    generated_at,
  };
}

/**
 * Returns the statement as PDF in the user's language.
 * @throws AppError as `getStatement` and `makePdf` do
 */
export async function getStatementPdf(
  ctx: Context,
  userId: number,
  date: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const statement = await getStatement(ctx, userId, date);
  const { language } = await ctx.db.reader
    .selectFrom('user')
    .select('language')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return makePdf(ctx.clock, statementDocument(ctx, statement, languageFor(ctx, language)), userId);
}

/** Stores last month for those who have no statement of it, once nothing comes into it any more. */
export async function storeLastMonth(ctx: Reading): Promise<void> {
  const now = nowSeconds(ctx.clock);
  const last = monthOf(monthOf(now).from - 1);
  if (isOver(last, now)) await storeMonth(ctx, last, 'missing');
}

/** Servers that are storing a month now. */
const storing = new WeakSet<object>();

/**
 * @param which `all`: also for those who have a statement already
 * @throws AppError `invalid-input` for a month that is not over, `conflict` while another one is being stored
 */
export async function storeStatements(ctx: Context, date: string, which: 'missing' | 'all'): Promise<void> {
  const month = monthNamed(date);
  if (!isOver(month, nowSeconds(ctx.clock)))
    throw new AppError(
      'invalid-input',
      'Statements can be created from ten minutes after the end of their month',
    );
  if (storing.has(ctx)) throw new AppError('conflict', 'Statements are already being created');
  storing.add(ctx);
  try {
    await storeMonth(ctx, month, which);
  } finally {
    storing.delete(ctx);
  }
}

/** `202611-7` */
export function numberOf(date: string, userId: number): string {
  return `${date.slice(0, 4)}${date.slice(5, 7)}-${userId}`;
}

async function readAddressee({ db }: Reading, userId: number) {
  const user = await db.reader
    .selectFrom('user')
    .select(['username', 'display_name', 'email', 'group_symbol as group'])
    .where('id', '=', userId)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (user === undefined) throw notFound('user');
  return user;
}

/** Reads the payments of a month. A payment may be refunded months later. */
async function readPayments(
  { db }: Reading,
  userId: number,
  { from, to }: Month,
): Promise<Statement['payments']> {
  const rows = await db.reader
    .selectFrom('payment_order')
    .select(['trade_no', 'paid_time', 'order_amount', 'currency', 'refunded_amount', 'quota'])
    .where('user_id', '=', userId)
    .where('paid_time', '>=', from)
    .where('paid_time', '<', to)
    .orderBy('paid_time')
    .orderBy('id')
    .$narrowType<{ paid_time: NotNull }>()
    .execute();
  return rows.map(({ trade_no, paid_time, order_amount, currency, refunded_amount, quota }) => ({
    trade_no,
    paid_at: paid_time,
    amount: toMajor(order_amount, currency),
    currency,
    refunded: toMajor(refunded_amount, currency),
    quota: toPoints(quota),
  }));
}
