/**
 * https://opendocs.alipay.com/open/02e7go (alipay.trade.refund) and https://opendocs.alipay.com/open/02e7gr
 * (alipay.trade.fastpay.refund.query). Refunds only have the gateway's number. A completed refund is final: money
 * that a buyer's bank rejects goes to the buyer's Alipay balance.
 */
import { formatMinorUnits, parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { z } from 'zod';
import { NO_REPORTED_REFUNDS, type PaymentProviderClient } from '../../payment-provider.ts';
import { AlipayError, type AlipayGateway } from './alipay-gateway.ts';

const refundAnswer = z.object({ out_trade_no: z.string(), fund_change: z.string().optional() });
const queryAnswer = z.object({
  out_trade_no: z.string().optional(),
  out_request_no: z.string().optional(),
  refund_amount: z.string().optional(),
  refund_status: z.string().optional(),
});
const tradeAnswer = z.object({ out_trade_no: z.string(), trade_status: z.string() });

const REFUND_EXCEEDS_TOTAL = 'ACQ.REFUND_AMT_NOT_EQUAL_TOTAL';

export interface AlipayRefunds extends Pick<PaymentProviderClient, 'refund' | 'pollRefund' | 'listReportedRefunds'> {
  /** Resolves with the refunded amount in fen; undefined when Alipay does not know the refund. */
  find(tradeNo: string, refundNo: string): Promise<number | undefined>;
}

export function createAlipayRefunds(gateway: AlipayGateway): AlipayRefunds {
  const find = async (tradeNo: string, refundNo: string): Promise<number | undefined> => {
    const content = { out_trade_no: tradeNo, out_request_no: refundNo };
    try {
      const refund = await gateway.call('alipay.trade.fastpay.refund.query', content, queryAnswer);
      const isThis = refund.out_trade_no === tradeNo && refund.out_request_no === refundNo;
      return isThis && refund.refund_status === 'REFUND_SUCCESS'
        ? parseMinorUnits(refund.refund_amount ?? '', 'CNY')
        : undefined;
    } catch (error) {
      if (error instanceof AlipayError && error.subCode === 'ACQ.TRADE_NOT_EXIST') return undefined;
      throw error;
    }
  };
  return {
    find,
    async refund({ tradeNo, currency }, { refundNo, amount, reason }) {
      const content = {
        out_trade_no: tradeNo,
        out_request_no: refundNo,
        refund_amount: formatMinorUnits(amount, currency),
        refund_reason: reason,
      };
      const refund = await gateway.call('alipay.trade.refund', content, refundAnswer);
      // Without a change of funds, the same refund was made before, or is pending.
      const done = refund.fund_change === 'Y' || (await find(tradeNo, refundNo)) !== undefined;
      return done ? { state: 'done', providerNo: refundNo } : { state: 'pending' };
    },
    async pollRefund({ tradeNo }, { refundNo }) {
      const refund = await find(tradeNo, refundNo);
      return refund === undefined ? { state: 'unknown' } : { state: 'done', providerNo: refundNo };
    },
    async listReportedRefunds({ tradeNo, amount }, failed, refusal) {
      const trade = await gateway.call('alipay.trade.query', { out_trade_no: tradeNo }, tradeAnswer);
      // Alipay closes a paid trade when it is fully refunded.
      if (trade.trade_status === 'TRADE_CLOSED') return { events: [], minAmount: amount };
      return refusal instanceof AlipayError && refusal.subCode === REFUND_EXCEEDS_TOTAL
        ? { events: [], minAmount: amount - failed.amount + 1 }
        : NO_REPORTED_REFUNDS;
    },
  };
}
