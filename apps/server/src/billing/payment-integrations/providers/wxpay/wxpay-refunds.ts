/**
 * https://pay.weixin.qq.com/doc/v3/merchant/4012791862; queries: https://pay.weixin.qq.com/doc/v3/merchant/4012791863
 */
import { z } from 'zod';
import {
  NO_REPORTED_REFUNDS,
  type PaidOrder,
  type PaymentProviderClient,
  type ProviderEnvironment,
  type Refund,
  type RefundState,
} from '../../payment-provider.ts';
import { truncateToBytes } from '../../payment-vendor-payloads.ts';
import { type WxpayApi, WxpayError } from './wxpay-api.ts';

const REASON_MAX_BYTES = 80;
const PATH = '/v3/refund/domestic/refunds';

const answer = z.object({ refund_id: z.string().min(1), out_refund_no: z.string(), status: z.string() });

/** @param tradeStateOf queries the `trade_state` of a payment */
export function createWxpayRefunds(
  api: WxpayApi,
  { notifyUrl }: ProviderEnvironment,
  tradeStateOf: (tradeNo: string) => Promise<string>,
): Pick<PaymentProviderClient, 'refund' | 'pollRefund' | 'listReportedRefunds'> {
  const pollRefund = async (_order: PaidOrder, { refundNo }: Refund): Promise<RefundState> => {
    try {
      return toRefundState(await api.get(`${PATH}/${encodeURIComponent(refundNo)}`, answer), refundNo);
    } catch (error) {
      if (error instanceof WxpayError && error.code === 'RESOURCE_NOT_EXISTS') return { state: 'unknown' };
      throw error;
    }
  };
  return {
    pollRefund,
    /** Refunds; the same number is the same refund. */
    async refund(order, { refundNo, amount, reason }) {
      const body = {
        out_trade_no: order.tradeNo,
        out_refund_no: refundNo,
        ...(reason === '' ? {} : { reason: truncateToBytes(reason, REASON_MAX_BYTES) }),
        notify_url: notifyUrl,
        amount: { refund: amount, total: order.amount, currency: 'CNY' },
      };
      return toRefundState(await api.post(PATH, body, answer), refundNo);
    },
    /**
     * Reports a minimal amount: WeChat Pay reports that a payment has refunds, but neither their number nor their
     * amounts.
     */
    async listReportedRefunds(order, failed) {
      if ((await tradeStateOf(order.tradeNo)) !== 'REFUND') return NO_REPORTED_REFUNDS;
      const isForeign = (await pollRefund(order, failed)).state === 'unknown';
      return isForeign ? { events: [], minAmount: 1 } : NO_REPORTED_REFUNDS;
    },
  };
}

/**
 * Reasons for the states in which a refund doesn't reach the buyer:
 * https://pay.weixin.qq.com/doc/v3/merchant/4013071031
 */
export const REFUND_CLOSED = 'WeChat Pay has closed the refund';
/** WeChat Pay holds the money until it is sent to another account of the buyer or back to the merchant. */
export const REFUND_ABNORMAL = 'The buyer’s account cannot receive the refund. Check the merchant platform.';

function toRefundState({ refund_id: providerNo, ...refund }: z.output<typeof answer>, refundNo: string): RefundState {
  if (refund.out_refund_no !== refundNo) throw new Error('WeChat Pay returned another refund than the requested one');
  switch (refund.status) {
    case 'SUCCESS':
      return { state: 'done', providerNo };
    case 'CLOSED':
      return { state: 'failed', reason: REFUND_CLOSED, providerNo };
    case 'ABNORMAL':
      return { state: 'unclear', reason: REFUND_ABNORMAL };
    default:
      return { state: 'pending' };
  }
}
