/** Monthly statements of a user's purchases, charges and balance. They add up to the ledger exactly. */

import type { Statement } from '@switchyard/contract/billing/statements';
import { toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { toPoints } from '@switchyard/contract/money';
import { type NotNull, sql } from 'kysely';
import type { Context } from '../../context.ts';
import type { Database } from '../../db/open-database.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { formatCsvLine, formatCsvTime } from '../../platform/csv-export.ts';
import { AppError, notFound } from '../../platform/http/app-error.ts';
import { renderPdf } from '../pdf-documents/pdf-documents.ts';
import { chooseDocumentLanguage, readIssuer } from './document-issuer-and-format.ts';
import { isMonthClosed, type Month, monthAt, parseMonth } from './list-statements.ts';
import { type MonthSums, monthSums, readMonthSums } from './month-sums.ts';
import { buildStatementDocument } from './statement-document.ts';

/** CSV of a statement as one table, whose first column names the kind of each line. */

const heads = [
  'section',
  'name',
  'time',
  'request_count',
  'prompt_tokens',
  'completion_tokens',
  'request_time_ms',
  'quota',
  'amount',
  'refunded',
  'currency',
] as const;

type Line = Partial<Record<(typeof heads)[number], string | number>>;

export function formatStatementCsv(statement: Statement): string {
  const { number, opening, closing, movements, models, payments } = statement;
  const lines: readonly Line[] = [
    { section: 'opening', name: number, quota: opening },
    ...Object.entries(movements).map(([name, quota]) => ({ section: 'movement', name, quota })),
    { section: 'closing', name: number, quota: closing },
    ...models.map(({ model_name: name, date: _month, request_time, ...sums }) => ({
      section: name === '' ? 'unexplained' : 'model',
      name,
      request_time_ms: request_time,
      ...sums,
    })),
    ...payments.map(({ trade_no: name, paid_at, ...payment }) => ({
      section: 'payment',
      name,
      time: formatCsvTime(paid_at),
      ...payment,
    })),
  ];
  return [formatCsvLine(heads), ...lines.map((line) => formatCsvLine(heads.map((head) => line[head] ?? '')))].join('');
}

export { listStatements } from './list-statements.ts';
export { renderOrderReceipt } from './order-receipt.ts';

type StatementContext = Pick<Context, 'db' | 'clock' | 'settings'>;

/**
 * Returns the stored statement, or computes it from the ledger. Stores nothing.
 * @param date first day of the month
 * @throws AppError `not-found` for a month that has not begun, and for a deleted user
 */
export async function getStatement(ctx: StatementContext, userId: number, date: string): Promise<Statement> {
  const now = nowSeconds(ctx.clock);
  const month = parseMonth(date);
  if (month.from > now) throw notFound('statement of', date);
  const final = isMonthClosed(month, now);
  const { sums, generated_at } = (final ? await readStoredSums(ctx.db, userId, month) : undefined) ?? {
    sums: await readMonthSums(ctx.db, userId, month),
    generated_at: now,
  };
  return {
    date,
    number: formatStatementNumber(date, userId),
    issuer: readIssuer(ctx),
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
 * @throws AppError as `getStatement` and `renderPdf` do
 */
export async function getStatementPdf(ctx: Context, userId: number, date: string): Promise<Uint8Array<ArrayBuffer>> {
  const statement = await getStatement(ctx, userId, date);
  const { language } = await ctx.db.reader
    .selectFrom('user')
    .select('language')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return renderPdf(ctx.clock, buildStatementDocument(ctx, statement, chooseDocumentLanguage(ctx, language)), userId);
}

/** Stores last month for users without a statement of it, once the month is closed. */
export async function storeLastMonth(ctx: StatementContext): Promise<void> {
  const now = nowSeconds(ctx.clock);
  const last = monthAt(monthAt(now).from - 1);
  if (isMonthClosed(last, now)) await storeMonth(ctx, last, 'missing');
}

/** Servers that are currently storing a month. */
const activeStores = new WeakSet<object>();

/**
 * @param which `all` also recomputes existing statements
 * @throws AppError `invalid-input` for a month that is not closed, `conflict` while another one is being stored
 */
export async function storeMonthStatements(ctx: Context, date: string, which: 'missing' | 'all'): Promise<void> {
  const month = parseMonth(date);
  if (!isMonthClosed(month, nowSeconds(ctx.clock)))
    throw new AppError('invalid-input', 'Statements can be created from ten minutes after the end of their month');
  if (activeStores.has(ctx)) throw new AppError('conflict', 'Statements are already being created');
  activeStores.add(ctx);
  try {
    await storeMonth(ctx, month, which);
  } finally {
    activeStores.delete(ctx);
  }
}

/** Formats a number such as `202611-7`. */
export function formatStatementNumber(date: string, userId: number): string {
  return `${date.slice(0, 4)}${date.slice(5, 7)}-${userId}`;
}

async function readAddressee({ db }: StatementContext, userId: number) {
  const user = await db.reader
    .selectFrom('user')
    .select(['username', 'display_name', 'email', 'group_symbol as group'])
    .where('id', '=', userId)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
  if (user === undefined) throw notFound('user', userId);
  return user;
}

/**
 * Reads the payments of a month with their refunds, which may be months later. Refunds and disputes that are not
 * decided yet are left out, as on the receipt: they may fail.
 */
async function readPayments(
  { db }: StatementContext,
  userId: number,
  { from, to }: Month,
): Promise<Statement['payments']> {
  const rows = await db.reader
    .selectFrom('payment_order')
    .select(['trade_no', 'paid_time', 'order_amount', 'currency', 'quota'])
    .select(
      sql<number>`(select coalesce(sum(r.amount), 0) from order_refund r
        where r.order_id = payment_order.id and r.state = 'done' and r.is_uncredited = 0)`.as('refunded'),
    )
    .where('user_id', '=', userId)
    .where('paid_time', '>=', from)
    .where('paid_time', '<', to)
    .orderBy('paid_time')
    .orderBy('id')
    .$narrowType<{ paid_time: NotNull }>()
    .execute();
  return rows.map(({ trade_no, paid_time, order_amount, currency, refunded, quota }) => ({
    trade_no,
    paid_at: paid_time,
    amount: toMajorUnits(order_amount, currency),
    currency,
    refunded: toMajorUnits(Math.min(refunded, order_amount), currency),
    quota: toPoints(quota),
  }));
}

/** Closed months are stored in batches of users, so that an interrupted run resumes where it stopped. */

/** Number of users per write. */
const BATCH = 50;

interface StoredSums {
  sums: MonthSums;
  generated_at: number;
}

/** Resolves with undefined when nothing is stored, or the ledger got a later entry for that month. */
async function readStoredSums(db: Database, userId: number, { date, to }: Month): Promise<StoredSums | undefined> {
  const { rows } = await sql<{ content: string; generated_time: number; closing: number | null }>`
    select content, generated_time,
      (select sum(user_amount) from ledger_entry where user_id = ${userId} and created_at < ${to}) as closing
    from statement where user_id = ${userId} and month = ${date}`.execute(db.reader);
  const [row] = rows;
  if (row === undefined) return undefined;
  const sums = monthSums.parse(JSON.parse(row.content));
  return sums.closing === (row.closing ?? 0) ? { sums, generated_at: row.generated_time } : undefined;
}

/**
 * Stores the sums of every existing user whose balance changed in a closed month.
 * @param which `missing` keeps existing statements; `all` computes them again
 */
export async function storeMonth(
  ctx: Pick<Context, 'db' | 'clock'>,
  month: Month,
  which: 'missing' | 'all',
): Promise<void> {
  let last = 0;
  for (;;) {
    const users = await nextUsers(ctx.db, month, which, last);
    const rows = [];
    for (const id of users)
      rows.push({
        user_id: id,
        month: month.date,
        content: JSON.stringify(await readMonthSums(ctx.db, id, month)),
        generated_time: nowSeconds(ctx.clock),
      });
    last = users.at(-1) ?? last;
    if (rows.length > 0)
      await ctx.db.writer
        .insertInto('statement')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(['user_id', 'month'])
            .doUpdateSet((eb) => ({
              content: eb.ref('excluded.content'),
              generated_time: eb.ref('excluded.generated_time'),
            })),
        )
        .execute();
    if (users.length < BATCH) return;
  }
}

async function nextUsers(
  db: Database,
  { date, from, to }: Month,
  which: 'missing' | 'all',
  last: number,
): Promise<number[]> {
  const wanted =
    which === 'all'
      ? sql`true`
      : sql`not exists (select 1 from statement s where s.user_id = u.id and s.month = ${date})`;
  const { rows } = await sql<{ id: number }>`select u.id from "user" u
    where u.id > ${last} and u.deleted_time is null and ${wanted} and exists (
      select 1 from ledger_entry e
      where e.user_id = u.id and e.created_at >= ${from} and e.created_at < ${to} and e.kind <> 'key-limit'
    ) order by u.id limit ${BATCH}`.execute(db.reader);
  return rows.map(({ id }) => id);
}
