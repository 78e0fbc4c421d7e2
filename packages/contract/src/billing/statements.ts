/** Purchases, spending and balance of a user by month. Months are UTC months. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { points } from '../money.ts';
import { emptyData, listQuery, paged, routes } from '../route.ts';
import { currency } from './top-up-cost-and-currencies.ts';

/** First day of the month, `2026-11-01`. */
export const month = z.string().regex(/^20\d\d-(0[1-9]|1[0-2])-01$/);

const usage = {
  request_count: z.int(),
  quota: points,
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  /** Milliseconds. */
  request_time: z.int(),
};

export const statementSummary = z.object({ date: month, ...usage });
export type StatementSummary = z.output<typeof statementSummary>;

export const modelUsage = z.object({
  date: month,
  /** Empty for charges without usage records. */
  model_name: z.string(),
  ...usage,
});

/** Monthly statement; `opening` plus all credits minus all debits equals `closing` exactly. */
export const statement = z.object({
  date: month,
  /** Month and user, for instance `202611-7`. */
  number: z.string(),
  /** Issuer from the present settings. */
  issuer: z.object({ name: z.string(), address: z.string(), tax_id: z.string(), contact: z.string() }),
  note: z.string(),
  username: z.string(),
  display_name: z.string(),
  email: z.string(),
  group: z.string(),
  opening: points,
  closing: points,
  /** Sums of the ledger entries; debits are negative. */
  movements: z.object({ charges: points, top_ups: points, refunds: points, gifts: points, adjustments: points }),
  models: z.array(modelUsage),
  /** Payments of the month, in their currencies. */
  payments: z.array(
    z.object({
      trade_no: z.string(),
      paid_at: seconds,
      amount: z.number(),
      currency,
      refunded: z.number(),
      quota: points,
    }),
  ),
  /** True after the month's end; only refunds still change the statement. */
  final: z.boolean(),
  generated_at: seconds,
});
export type Statement = z.output<typeof statement>;

const ofMonth = z.object({ date: month });

export const statements = routes({
  list: {
    method: 'GET',
    path: '/api/user/invoice',
    access: 'user',
    summary: 'List your monthly statements',
    query: listQuery(['date', 'request_count', 'quota', 'prompt_tokens', 'completion_tokens', 'request_time'], {}),
    answer: paged(statementSummary),
  },
  models: {
    method: 'GET',
    path: '/api/user/invoice/detail',
    access: 'user',
    summary: 'Retrieve your usage of a month, by model',
    query: ofMonth,
    answer: z.array(modelUsage),
  },
  get: {
    method: 'GET',
    path: '/api/user/invoice/statement',
    access: 'user',
    summary: 'Retrieve your statement of a month; created if there is none yet',
    query: ofMonth,
    answer: statement,
  },
  pdf: {
    method: 'GET',
    path: '/api/user/invoice/pdf',
    access: 'user',
    summary: 'Download your statement of a month as PDF',
    query: ofMonth,
    answer: z.instanceof(Uint8Array),
    file: 'application/pdf',
  },
  csv: {
    method: 'GET',
    path: '/api/user/invoice/csv',
    access: 'user',
    summary: 'Download your statement of a month as CSV',
    query: ofMonth,
    answer: z.string(),
    file: 'text/csv',
  },
  generate: {
    method: 'POST',
    path: '/api/option/invoice/gen/:date',
    access: 'root',
    summary: 'Create the missing statements of a past month for all users',
    params: ofMonth,
    answer: emptyData,
  },
  regenerate: {
    method: 'POST',
    path: '/api/option/invoice/update/:date',
    access: 'root',
    summary: 'Recreate the statements of a past month for all users',
    params: ofMonth,
    answer: emptyData,
  },
});
