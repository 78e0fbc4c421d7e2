/** Income, cost and liabilities of the site. Days are UTC days. */
import { z } from 'zod';
import { points } from '../money.ts';
import { routes } from '../route.ts';
import { currency } from './top-up-cost-and-currencies.ts';

/** 31 December 9999, the last day that calendars support. */
const LAST_SECOND = 253_402_300_799;
/** UTC seconds, inclusive; widened to whole hours for calls, and to whole days for groups. */
const moment = z.coerce.number().int().min(0).max(LAST_SECOND);

const moneyIn = z.object({
  currency,
  orders: z.int(),
  /** Payments received, in the currency. */
  income: z.number(),
  /** Refunds of these payments, whenever they were made. */
  refunds: z.number(),
  /** Payment fees in USD. */
  fees: z.number(),
  /** Points credited for these payments. */
  quota: points,
});

const sales = z.object({
  /** Day (UTC seconds), group, model, or name of a payment gateway. */
  key: z.string(),
  requests: z.int(),
  charged: points,
  /** Operator's known cost of the calls, in points. */
  cost: points,
  /** Amount charged for the calls whose cost is known; minus `cost` it is the margin. */
  costed: points,
});

export const moneyOverview = routes({
  get: {
    method: 'GET',
    path: '/api/money/overview',
    access: 'money.read',
    summary:
      'Retrieve income, refunds, codes, gifts, provider cost and margin of a period, and the current liabilities to users',
    query: z.object({ start_timestamp: moment, end_timestamp: moment }),
    answer: z.object({
      income: z.array(moneyIn),
      codes: z.object({ redeemed: z.int(), quota: points, outstanding: z.int(), outstanding_quota: points }),
      gifts: points,
      adjustments: points,
      charged: points,
      cost: points,
      costed: points,
      /** Present sums of the positive and of the negative balances. */
      liabilities: points,
      debts: points,
    }),
  },
  sales: {
    method: 'GET',
    path: '/api/money/sales',
    access: 'money.read',
    summary: 'List charges, provider cost and margin by day, group or model',
    query: z.object({ start_timestamp: moment, end_timestamp: moment, by: z.enum(['day', 'group', 'model']) }),
    answer: z.array(sales),
  },
  income: {
    method: 'GET',
    path: '/api/money/income',
    access: 'money.read',
    summary: 'List payments by day or payment provider',
    query: z.object({ start_timestamp: moment, end_timestamp: moment, by: z.enum(['day', 'processor']) }),
    answer: z.array(moneyIn.extend({ key: z.string() })),
  },
});
