import { toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { readPdf } from '../../testing/pdf-text.ts';
import { setOptions } from '../../testing/set-options.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { buildReceiptDocument, computeIncludedTax } from './order-receipt.ts';
import { renderOrderReceipt } from './statements.ts';

const PAID = Date.UTC(2026, 10, 3, 4, 5) / 1000;
const app = await useFeatureApp([]);
const buyer = { username: 'ann', display_name: 'Ann', email: 'ann@example.org', language: 'en_US' };
const order = await insertPaymentOrder(app.ctx, {
  trade_no: 'R1',
  user_id: 1,
  processor_id: await insertPaymentProvider(app.ctx),
  fee_micros: 300_000,
  saved_micros: 1_000_000,
  order_amount: 6_789,
  paid_time: PAID,
});

const linesOf = async (of: typeof order, to = buyer) =>
  (await buildReceiptDocument(app.ctx, of, to)).tables.flatMap(({ rows }) => rows);

test('a receipt shows items, discounts, fees, and the payment with its tax', async () => {
  await setOptions(app.ctx, {
    CompanyName: 'Example Ltd',
    CompanyAddress: 'Street 1\nTown',
    CompanyTaxId: '12-34',
    CompanyContact: 'billing@example.org',
    TaxName: 'VAT',
    TaxPercent: '13',
    StatementNote: 'Thank you',
    Language: 'ja_JP',
  });
  const document = await buildReceiptDocument(app.ctx, order, buyer);
  expect(document).toMatchObject({
    title: 'Receipt',
    issuer: ['Example Ltd', 'Street 1', 'Town', 'Tax ID: 12-34', 'billing@example.org'],
    note: 'Thank you',
    createdAt: PAID,
  });
  expect(document.facts).toEqual([
    ['Number', 'R1'],
    ['Paid on (UTC)', 'Nov 3, 2026, 04:05'],
    ['Account', 'Ann (ann)'],
    ['Email', 'ann@example.org'],
    ['Paid with', 'Bank'],
  ]);
  expect((await linesOf(order)).map((cells) => cells.map((cell) => cell.replaceAll('\u00a0', ' ')))).toEqual([
    ['Quota worth USD 10.00 (5,000,000 points)', 'USD 10.00'],
    ['Discount', '-USD 1.00'],
    ['Payment fee', 'USD 0.30'],
    ['Total', 'USD 9.30'],
    ['Paid in CNY', 'CNY 67.89'],
    ['including VAT (13%)', 'CNY 7.81'],
  ]);
});

test('refunds reduce the payment and its tax; a failed one does not', async () => {
  const refund = (id: string, amount: number, state: 'done' | 'failed') => ({
    id,
    order_id: order.id,
    amount,
    quota: 1,
    state,
    reason: 'x',
    processor_no: '',
    created_by: null,
    created_time: PAID + 86_400,
    next_ask_time: null,
  });
  await app.ctx.db.writer
    .insertInto('order_refund')
    .values([refund('a', 5_659, 'done'), refund('b', 100, 'failed')])
    .execute();
  const rest = (await linesOf({ ...order, refunded_amount: 5_659 })).slice(-3);
  expect(rest.map((cells) => cells.map((cell) => cell.replaceAll('\u00a0', ' ')))).toEqual([
    ['Refund of November 4, 2026', '-CNY 56.59'],
    ['Paid after refunds', 'CNY 11.30'],
    ['including VAT (13%)', 'CNY 1.30'],
  ]);
});

type State = 'pending' | 'done' | 'failed';
test.each<[string, (readonly [amount: number, state: State, isDispute?: boolean])[], number[]]>([
  ['no refund', [], []],
  ['a refund on its way', [[1_000, 'pending']], []],
  ['an open dispute', [[7_300, 'pending', true]], []],
  ['a won dispute', [[7_300, 'failed', true]], []],
  ['a lost dispute', [[7_300, 'done', true]], [-73, 0]],
  [
    'a refund, and another on its way',
    [
      [1_000, 'done'],
      [2_000, 'pending'],
    ],
    [-10, 63],
  ],
  [
    'a refund, and an open dispute of the whole price',
    [
      [1_000, 'done'],
      [7_300, 'pending', true],
    ],
    [-10, 63],
  ],
  [
    'a refund, and a lost dispute of the whole price',
    [
      [1_000, 'done'],
      [7_300, 'done', true],
    ],
    [-10, -73, 0],
  ],
])('the amount left on a receipt follows from the refunds on it: %s', async (_, refunds, expected) => {
  await setOptions(app.ctx, { TaxPercent: '0' });
  const effective = refunds.filter(([, state]) => state !== 'failed').reduce((sum, [amount]) => sum + amount, 0);
  const refunded = await insertPaymentOrder(app.ctx, {
    user_id: 1,
    processor_id: order.processor_id,
    paid_time: PAID,
    refunded_amount: Math.min(effective, 7_300),
  });
  for (const [at, [amount, state, isDispute = false]] of refunds.entries())
    await app.ctx.db.writer
      .insertInto('order_refund')
      .values({
        id: `${refunded.trade_no}-${at}`,
        order_id: refunded.id,
        amount,
        quota: 1,
        state,
        reason: 'x',
        is_dispute: Number(isDispute),
        processor_no: '',
        created_by: null,
        created_time: PAID + at,
        next_ask_time: null,
      })
      .execute();
  const { tables } = await buildReceiptDocument(app.ctx, refunded, buyer);
  const amounts = (tables[1]?.rows ?? []).map((cells) => Number((cells[1] ?? '').replaceAll(/[^\d.-]/g, '')));
  expect(amounts).toEqual([73, ...expected]);
});

test('a user without a chosen language gets the site’s', async () => {
  expect((await buildReceiptDocument(app.ctx, order, { ...buyer, language: '' })).title).toBe('領収書');
});

test('an unpaid order has no receipt', async () => {
  await expect(renderOrderReceipt(app.ctx, { ...order, paid_time: null }, buyer)).rejects.toMatchObject({
    code: 'not-found',
    message: `The order ${order.trade_no} was never paid, so it has no receipt.`,
  });
});

test.each([
  ['zh_CN', '收据'],
  ['zh_HK', '收據'],
  ['en_US', 'Receipt'],
  ['ja_JP', '領収書'],
])('in %s it is a %s', async (language, title) => {
  const { pages } = readPdf(await renderOrderReceipt(app.ctx, order, { ...buyer, language }));
  expect(pages[0]).toContain(title);
  expect(pages[0]).toContain('R1');
});

test('the tax that is in a price is rounded half up, once, and never more than the price', () => {
  expect([computeIncludedTax(113, 13), computeIncludedTax(0, 13), computeIncludedTax(6_789, 0)]).toEqual([13, 0, 0]);
  // 3 × 20 ÷ 120 is a half.
  expect(computeIncludedTax(3, 20)).toBe(1);
  fc.assert(
    fc.property(fc.nat(2_000_000_000), fc.nat(1000), (price, tenths) => {
      const percent = tenths / 10;
      const tax = computeIncludedTax(price, percent);
      expect(tax).toBe(Math.floor((2 * price * tenths + 1000 + tenths) / (2 * (1000 + tenths))));
      expect(tax).toBeLessThanOrEqual(price);
      expect(toMajorUnits(tax, 'USD') + toMajorUnits(price - tax, 'USD')).toBeCloseTo(toMajorUnits(price, 'USD'), 6);
    }),
  );
});
