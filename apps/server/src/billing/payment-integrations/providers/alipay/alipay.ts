/**
 * Alipay's open platform: https://opendocs.alipay.com/open/59da99d0_alipay.trade.page.pay,
 * https://opendocs.alipay.com/open/29ae8cb6_alipay.trade.wap.pay, https://opendocs.alipay.com/open/8ad49e4a_alipay.trade.precreate,
 * https://opendocs.alipay.com/open/82ea786a_alipay.trade.query, https://opendocs.alipay.com/open/ce0b4954_alipay.trade.close
 */
import { formatMinorUnits, parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { z } from 'zod';
import type {
  NewProviderOrder,
  PaymentMethod,
  PaymentProviderDefinition,
  PaymentState,
  ProviderConfig,
} from '../../payment-provider.ts';
import { formatChinaTime, truncateToBytes } from '../../payment-vendor-payloads.ts';
import { AlipayError, type AlipayGateway, createAlipayGateway, readAlipayKeys } from './alipay-gateway.ts';
import { createAlipayRefunds } from './alipay-refunds.ts';
import { readAlipayWebhook } from './alipay-webhook.ts';

const SUBJECT_MAX_BYTES = 256;

const codeAnswer = z.object({ out_trade_no: z.string(), qr_code: z.string().min(1) });
const tradeAnswer = z.object({
  out_trade_no: z.string(),
  trade_no: z.string().min(1),
  trade_status: z.string(),
  total_amount: z.string(),
});
const closeAnswer = z.object({});

export const alipay: PaymentProviderDefinition = {
  connect(config, environment) {
    const keys = readAlipayKeys(config);
    const gateway = createAlipayGateway(keys, environment);
    const refunds = createAlipayRefunds(gateway);
    return {
      openOrder: async (order) => ({ ref: '', paymentMethod: await createPaymentMethod(order, config, gateway) }),
      readWebhook: (webhook) => readAlipayWebhook(webhook, keys, refunds),
      respondToWebhook: (taken) => ({ status: 200, contentType: 'text/plain', body: taken ? 'success' : 'failure' }),
      pollOrder: ({ tradeNo }) => pollTrade(tradeNo, gateway),
      closeOrder: ({ tradeNo }) => closeTrade(tradeNo, gateway),
      refund: (order, refund) => refunds.refund(order, refund),
      pollRefund: (order, refund) => refunds.pollRefund(order, refund),
      listReportedRefunds: (order, failed, refusal) => refunds.listReportedRefunds(order, failed, refusal),
      async test() {
        await pollTrade('switchyard-test', gateway);
      },
    };
  },
};

async function createPaymentMethod(
  order: NewProviderOrder,
  { pay_type: payType }: ProviderConfig,
  gateway: AlipayGateway,
): Promise<PaymentMethod> {
  const content = {
    out_trade_no: order.tradeNo,
    total_amount: formatMinorUnits(order.amount, order.currency),
    // Alipay forbids these characters in subjects.
    subject: truncateToBytes(order.description.replace(/[/=&]/g, ' '), SUBJECT_MAX_BYTES),
    time_expire: formatChinaTime(order.expiresAt * 1000).replace('T', ' '),
  };
  if (payType === 'facepay') {
    const created = await gateway.call('alipay.trade.precreate', content, codeAnswer);
    return { kind: 'qr', url: created.qr_code };
  }
  const [method, product] =
    payType === 'wappay'
      ? ['alipay.trade.wap.pay', 'QUICK_WAP_WAY']
      : ['alipay.trade.page.pay', 'FAST_INSTANT_TRADE_PAY'];
  const url = gateway.pageUrl(method, { ...content, product_code: product }, order.returnUrl);
  return { kind: 'page', url, method: 'GET', params: {} };
}

/** Queries a trade, which Alipay only knows once the buyer has begun to pay. */
async function pollTrade(tradeNo: string, gateway: AlipayGateway): Promise<PaymentState> {
  const content = { out_trade_no: tradeNo };
  try {
    const trade = await gateway.call('alipay.trade.query', content, tradeAnswer);
    const amount = parseMinorUnits(trade.total_amount, 'CNY');
    if (trade.out_trade_no !== tradeNo || amount === undefined)
      throw new Error('Alipay returned another order than the requested one');
    switch (trade.trade_status) {
      case 'TRADE_SUCCESS':
      case 'TRADE_FINISHED':
        return { state: 'paid', providerNo: trade.trade_no, amount, currency: 'CNY' };
      case 'TRADE_CLOSED':
        return { state: 'closed' };
      default:
        return { state: 'pending' };
    }
  } catch (error) {
    if (error instanceof AlipayError && error.subCode === 'ACQ.TRADE_NOT_EXIST') return { state: 'unknown' };
    throw error;
  }
}

async function closeTrade(tradeNo: string, gateway: AlipayGateway): Promise<void> {
  try {
    await gateway.call('alipay.trade.close', { out_trade_no: tradeNo }, closeAnswer);
  } catch (error) {
    const isOver =
      error instanceof AlipayError &&
      ['ACQ.TRADE_NOT_EXIST', 'ACQ.TRADE_STATUS_ERROR', 'ACQ.REASON_TRADE_STATUS_INVALID'].includes(error.subCode);
    if (!isOver) throw error;
  }
}
