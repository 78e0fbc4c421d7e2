/** Payment options and prices offered to buyers. */
import type { PaymentOption } from '@switchyard/contract/billing/orders';
import { MICROS, type TopUpTerms } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Context } from '../../context.ts';
import { notFound } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import { pickFields } from '../../platform/object-fields.ts';
import type { ProviderRow } from './provider-config.ts';

export async function listPaymentOptions(ctx: Context, buyer: Caller): Promise<PaymentOption[]> {
  const rows = await selectPaymentOptions(ctx, buyer).orderBy('sort', 'desc').orderBy('id').execute();
  return rows.map((row) => ({
    ...pickFields(row, ['uuid', 'name', 'type', 'icon', 'currency', 'sort']),
    fixed_fee: row.fixed_fee_micros,
    percent_fee: row.percent_fee_micros,
    exchange_rate: getExchangeRate(ctx, row),
    sandbox: row.sandbox === 1,
  }));
}

/** @throws AppError `not-found` for an unknown, disabled or removed provider, or one that is not for this buyer */
export async function findPaymentOption(ctx: Context, buyer: Caller, uuid: string): Promise<ProviderRow> {
  const row = await selectPaymentOptions(ctx, buyer).where('uuid', '=', uuid).executeTakeFirst();
  if (row === undefined) throw notFound('payment provider', uuid);
  return row;
}

/** Returns the terms of paying `amount` USD with this provider. */
export function computeTerms(ctx: Context, row: ProviderRow, amount: number): TopUpTerms {
  const discount = ctx.settings.rechargeDiscount[String(amount)] ?? 1;
  return {
    discount: Math.round(discount * MICROS),
    fixedFee: row.fixed_fee_micros,
    percentFee: row.percent_fee_micros,
    rate: getExchangeRate(ctx, row),
    currency: row.currency,
  };
}

/**
 * Right to buy in test mode, when the order is created and when its payment is credited. Nothing is really paid, but
 * points are credited, so that only those may use it who can change payment providers and thereby credit themselves
 * anyway.
 */
export const TEST_MODE_RIGHT = 'processors.write';

/** Selects the payment options of a buyer. */
function selectPaymentOptions(ctx: Context, buyer: Caller) {
  return ctx.db.writer
    .selectFrom('processor')
    .selectAll()
    .where('enable', '=', 1)
    .where('deleted_time', 'is', null)
    .$if(!hasAccess(buyer, TEST_MODE_RIGHT), (query) => query.where('sandbox', '=', 0));
}

/**
 * Returns units of the currency per USD, × 1,000,000; `hasDefaultRate` names the currencies whose rows need no rate.
 */
function getExchangeRate({ settings }: Context, row: ProviderRow): number {
  if (row.exchange_rate_micros > 0) return row.exchange_rate_micros;
  return row.currency === 'CNY' ? Math.round(settings.paymentUsdRate * MICROS) : MICROS;
}
