/** https://opendocs.alipay.com/open/270/105902: asynchronous notifications */
import { parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { InvalidWebhookError, type WebhookEvent, type WebhookRequest } from '../../payment-provider.ts';
import { isPlainNumber, readPostedForm, readWebhookParams } from '../../payment-vendor-payloads.ts';
import { type AlipayKeys, isSignedWebhook } from './alipay-gateway.ts';
import type { AlipayRefunds } from './alipay-refunds.ts';

export async function readAlipayWebhook(
  webhook: WebhookRequest,
  { appId, publicKey }: AlipayKeys,
  refunds: AlipayRefunds,
): Promise<WebhookEvent | undefined> {
  const params = readWebhookParams(readPostedForm(webhook));
  const of = (name: string): string => params.get(name) ?? '';
  if (!isSignedWebhook(params, publicKey)) throw new InvalidWebhookError('The signature is invalid');
  if (of('app_id') !== appId) throw new InvalidWebhookError('The event is for another app');
  if (of('notify_type') !== 'trade_status_sync') throw new InvalidWebhookError('The event has another type');
  const [tradeNo, providerNo] = [of('out_trade_no'), of('trade_no')];
  const amount = parseMinorUnits(of('total_amount'), 'CNY');
  if (!isPlainNumber(tradeNo) || !isPlainNumber(providerNo) || amount === undefined)
    throw new InvalidWebhookError('The event has no valid order number, payment number or amount');
  // A partly refunded trade remains a success; only these fields of its notifications show the refund.
  if (of('refund_fee') !== '' || of('gmt_refund') !== '' || of('out_biz_no') !== '')
    return readRefundEvent(tradeNo, providerNo, of('out_biz_no'), refunds);
  switch (of('trade_status')) {
    case 'TRADE_SUCCESS':
    case 'TRADE_FINISHED':
      return { what: 'paid', tradeNo, providerNo, amount, currency: 'CNY' };
    case 'TRADE_CLOSED':
      return { what: 'closed', tradeNo, reason: 'The payment was not made in time' };
    default:
      return undefined;
  }
}

/**
 * Reads a refund event. The notification only has the sum of all refunds, so the amount of this one is queried. A
 * refund that was made without a separate number has the order's.
 */
async function readRefundEvent(
  tradeNo: string,
  paymentNo: string,
  refundNo: string,
  refunds: AlipayRefunds,
): Promise<WebhookEvent | undefined> {
  const number = refundNo === '' ? tradeNo : refundNo;
  const amount = await refunds.find(tradeNo, number);
  if (amount !== undefined)
    return { what: 'refunded', tradeNo, refundNo: number, providerRefundNo: number, amount, paymentNo };
  if (refundNo === '') return undefined;
  throw new Error('Alipay reported a refund that it cannot find yet');
}
