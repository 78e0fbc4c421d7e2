/** Receipt for one paid order. */

import { MICROS, roundHalfUp, toMajorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Selectable } from 'kysely';
import type { Context } from '../../context.ts';
import { type DocumentTexts, documentTexts, fillText } from '../../locales/server-texts.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import { type PdfDocument, renderPdf, toPrintable } from '../pdf-documents/pdf-documents.ts';
import {
  buildSharedParts,
  chooseDocumentLanguage,
  createDocumentFormat,
  type DocumentFormat,
} from './document-issuer-and-format.ts';
import { formatUserName } from './statement-document.ts';

type Order = Selectable<Schema['payment_order']>;

/** Recipient of the receipt. */
export interface Buyer {
  username: string;
  display_name: string;
  email: string;
  /** Language of the user's mails; empty for the site's. */
  language: string;
}

interface Refund {
  amount: number;
  created_time: number;
}

/**
 * Returns the receipt as PDF: the purchase, the payment with its included tax, and the refunds.
 * @throws AppError `not-found` for an order that was never paid, and as `renderPdf` does
 */
export async function renderOrderReceipt(ctx: Context, order: Order, buyer: Buyer): Promise<Uint8Array<ArrayBuffer>> {
  return renderPdf(ctx.clock, await buildReceiptDocument(ctx, order, buyer), order.user_id);
}

export async function buildReceiptDocument(
  ctx: Pick<Context, 'db' | 'settings'>,
  order: Order,
  buyer: Buyer,
): Promise<PdfDocument> {
  const { paid_time, trade_no } = order;
  if (paid_time === null)
    throw new AppError('not-found', `The order ${trade_no} was never paid, so it has no receipt.`);
  const language = chooseDocumentLanguage(ctx, buyer.language);
  const texts = documentTexts[language];
  const format = createDocumentFormat(language);
  const refunds = await readRefunds(ctx, order);
  return {
    ...buildSharedParts(ctx, language),
    createdAt: paid_time,
    title: texts.receipt,
    facts: [
      [texts.number, toPrintable(trade_no)],
      [texts.paidAt, format.moment(paid_time)],
      [texts.account, formatUserName(buyer.display_name, buyer.username)],
      ...(buyer.email === '' ? [] : [[texts.email, toPrintable(buyer.email)] as const]),
      [texts.method, toPrintable(await findProviderName(ctx, order))],
    ],
    tables: [
      {
        heading: texts.order,
        columns: [
          { head: texts.description, width: 5, align: 'left' },
          { head: texts.amount, width: 2, align: 'right' },
        ],
        rows: buildPriceLines(order, texts, format),
      },
      {
        heading: texts.payments,
        columns: [
          { head: texts.description, width: 5, align: 'left' },
          { head: texts.amount, width: 2, align: 'right' },
        ],
        rows: buildPaymentLines(ctx, order, refunds, texts, format),
      },
    ],
  };
}

/** Returns the lines of the price in USD, in which quota is sold. */
function buildPriceLines(order: Order, texts: DocumentTexts, format: DocumentFormat): string[][] {
  const usd = (micros: number): string => format.money(micros / MICROS, 'USD');
  const { amount_usd, quota, saved_micros, fee_micros } = order;
  const value = amount_usd * MICROS;
  return [
    [fillText(texts.bought, { usd: usd(value), points: format.number(quota) }), usd(value)],
    ...(saved_micros === 0 ? [] : [[texts.discount, usd(-saved_micros)]]),
    ...(fee_micros === 0 ? [] : [[texts.fee, usd(fee_micros)]]),
    [texts.total, usd(value - saved_micros + fee_micros)],
  ];
}

/**
 * Returns the lines of the payment in its currency. What is left follows from the listed refunds: the order's refunded
 * amount includes refunds and disputes that are not decided yet, and that no line shows.
 */
function buildPaymentLines(
  { settings: { taxName, taxPercent } }: Pick<Context, 'settings'>,
  { currency, order_amount }: Order,
  refunds: readonly Refund[],
  texts: DocumentTexts,
  format: DocumentFormat,
): string[][] {
  const money = (minor: number): string => format.money(toMajorUnits(minor, currency), currency);
  const withTax = (label: string, minor: number): string[][] => [
    [label, money(minor)],
    ...(taxPercent === 0
      ? []
      : [
          [
            fillText(texts.included, { tax: toPrintable(taxName), percent: format.percent(taxPercent) }),
            money(computeIncludedTax(minor, taxPercent)),
          ],
        ]),
  ];
  const refunded = refunds.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...withTax(fillText(texts.priceIn, { currency }), order_amount),
    ...refunds.map(({ amount, created_time }) => [
      fillText(texts.refundOf, { date: format.day(created_time) }),
      money(-amount),
    ]),
    ...(refunds.length === 0 ? [] : withTax(texts.left, Math.max(0, order_amount - refunded))),
  ];
}

function readRefunds({ db }: Pick<Context, 'db'>, { id }: Order): Promise<Refund[]> {
  return db.reader
    .selectFrom('order_refund')
    .select(['amount', 'created_time'])
    .where('order_id', '=', id)
    .where('state', '=', 'done')
    .where('is_uncredited', '=', 0)
    .orderBy('created_time')
    .execute();
}

async function findProviderName({ db }: Pick<Context, 'db'>, { processor_id }: Order): Promise<string> {
  const row = await db.reader.selectFrom('processor').select('name').where('id', '=', processor_id).executeTakeFirst();
  return row?.name ?? '';
}

/**
 * Returns the tax included in a price, rounded half up to the minor unit: price × percent ÷ (100 + percent).
 * @param price in the currency's minor unit
 */
export function computeIncludedTax(price: number, percent: number): number {
  const rate = BigInt(Math.round(percent * MICROS));
  return Number(roundHalfUp(BigInt(price) * rate, BigInt(100 * MICROS) + rate));
}
