/** Refunds and disputes of a payment: https://docs.stripe.com/api/refunds and https://docs.stripe.com/api/disputes */
import { z } from 'zod';
import type { PaidOrder, ReportedRefund, ReportedRefunds, WebhookEvent } from '../../payment-provider.ts';
import { sanitizeVendorMessage } from '../../payment-vendor-payloads.ts';
import {
  parseStripeObject,
  type StripeAccount,
  type StripeDispute,
  type StripeRefund,
  stripeDispute,
  stripeRefund,
} from './stripe-api.ts';

const refundList = z.object({ data: z.array(stripeRefund) });
const disputeList = z.object({ data: z.array(stripeDispute) });

/** Exceeds the number of refunds of any payment. */
const LISTED_MAX = 100;

export async function listRefunds(account: StripeAccount, { providerNo }: PaidOrder): Promise<readonly StripeRefund[]> {
  const query = { payment_intent: providerNo, limit: LISTED_MAX };
  return parseStripeObject(refundList, await account.call((stripe) => stripe.refunds.list(query))).data;
}

/** Returns all refunds and disputes of a payment, which Stripe lists completely. */
export async function listStripeMoneyBack(account: StripeAccount, order: PaidOrder): Promise<ReportedRefunds> {
  const { tradeNo } = order;
  const refunds = await listRefunds(account, order);
  const query = { payment_intent: order.providerNo, limit: LISTED_MAX };
  const disputes = parseStripeObject(disputeList, await account.call((stripe) => stripe.disputes.list(query))).data;
  const refunded = refunds
    .filter(({ status }) => status === 'succeeded')
    .map((refund): WebhookEvent => ({ what: 'refunded', ...toReportedRefund(refund, tradeNo) }));
  const disputed = disputes.flatMap((dispute): WebhookEvent[] => {
    const what = parseDisputeStatus(dispute);
    return what === undefined ? [] : [{ what, ...toReportedDispute(dispute, tradeNo) }];
  });
  return { events: [...refunded, ...disputed], minAmount: 0 };
}

export function toReportedRefund(refund: StripeRefund, tradeNo: string): ReportedRefund {
  const { id, amount, metadata, payment_intent: paymentNo } = refund;
  const refundNo = metadata?.['refund_no'] ?? '';
  const currency = refund.currency.toUpperCase();
  return { tradeNo, refundNo, providerRefundNo: id, amount, currency, paymentNo: paymentNo ?? undefined };
}

export function toReportedDispute({ id, amount, currency, payment_intent: paymentNo }: StripeDispute, tradeNo: string) {
  return { tradeNo, disputeNo: id, amount, currency: currency.toUpperCase(), paymentNo: paymentNo ?? undefined };
}

/** Returns the reason why a refund failed; undefined otherwise. https://docs.stripe.com/refunds#failed-refunds */
export function describeRefundFailure({ status, failure_reason: reason }: StripeRefund): string | undefined {
  if (status !== 'failed' && status !== 'canceled') return undefined;
  return sanitizeVendorMessage(reason ?? `The refund is ${status}`, []);
}

/** Returns the event that a dispute's status corresponds to; undefined for an inquiry, which withdraws no money. */
export function parseDisputeStatus(
  dispute: Pick<StripeDispute, 'status' | 'balance_transactions'>,
): 'disputed' | 'dispute-won' | 'dispute-lost' | undefined {
  const { status } = dispute;
  if (status === 'won') return 'dispute-won';
  if (status === 'lost') return 'dispute-lost';
  if (status === 'prevented') return parsePreventedDispute(dispute);
  return status.startsWith('warning_') ? undefined : 'disputed';
}

/**
 * A prevented dispute has ended before a bank decides. Its balance transactions say whether the buyer was paid; undefined
 * while no money has moved. https://docs.stripe.com/changelog/basil/2025-08-27/add-preventions-to-dispute
 */
function parsePreventedDispute({ balance_transactions: moved }: Pick<StripeDispute, 'balance_transactions'>) {
  if (moved.length === 0) return undefined;
  return moved.reduce((sum, { amount }) => sum + amount, 0) < 0 ? 'dispute-lost' : 'dispute-won';
}
