/** Responses of Alipay's gateway, before signing: https://opendocs.alipay.com/open/02ekfg */
import { formatMinorUnits, parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { type ScriptedLedger, sumRefunds } from './scripted-orders.ts';
import type { ScriptedOrder } from './scripted-provider.ts';

type Content = Readonly<Record<string, string | undefined>>;

/** Returns the response; undefined for an unknown method. */
export function handleAlipayCall(
  ledger: ScriptedLedger,
  method: string,
  content: Content,
  urls: { notifyUrl: string; returnUrl: string },
): object | undefined {
  const order = ledger.orders.get(content['out_trade_no'] ?? '');
  switch (method) {
    case 'alipay.trade.precreate': {
      const opened = openTrade(ledger, content, urls);
      if (opened === undefined) return errorResponse('ACQ.INVALID_PARAMETER', '参数无效');
      return successResponse({ out_trade_no: opened.tradeNo, qr_code: `https://qr.alipay.com/${opened.paymentNo}` });
    }
    case 'alipay.trade.query':
      return order === undefined ? tradeMissingResponse() : successResponse(tradeJson(order));
    case 'alipay.trade.close':
      if (order === undefined) return tradeMissingResponse();
      if (order.status !== 'open') return errorResponse('ACQ.TRADE_STATUS_ERROR', '交易状态不合法');
      order.status = 'closed';
      return successResponse({ out_trade_no: order.tradeNo, trade_no: order.paymentNo });
    case 'alipay.trade.refund':
      return order === undefined ? tradeMissingResponse() : refundTrade(ledger, order, content);
    case 'alipay.trade.fastpay.refund.query': {
      const refundNo = content['out_request_no'];
      const existing = order?.refunds.find((refund) => refund.refundNo === refundNo);
      if (order === undefined) return tradeMissingResponse();
      if (existing === undefined) return successResponse({});
      return successResponse({
        out_trade_no: order.tradeNo,
        out_request_no: existing.refundNo,
        refund_amount: formatMinorUnits(existing.amount, 'CNY'),
        refund_status: 'REFUND_SUCCESS',
        total_amount: formatMinorUnits(order.amount, 'CNY'),
      });
    }
    default:
      return undefined;
  }
}

/** Creates an order; undefined if a field is missing. */
export function openTrade(
  ledger: ScriptedLedger,
  content: Content,
  urls: { notifyUrl: string; returnUrl: string },
): ScriptedOrder | undefined {
  const { out_trade_no: tradeNo = '', subject = '', total_amount: total = '', time_expire: expire = '' } = content;
  const amount = parseMinorUnits(total, 'CNY');
  const isGood = tradeNo !== '' && /^[^/=&]+$/.test(subject) && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(expire);
  return amount === undefined || !isGood ? undefined : ledger.open({ tradeNo, amount, currency: 'CNY', ...urls });
}

function refundTrade(ledger: ScriptedLedger, order: ScriptedOrder, content: Content): object {
  const amount = parseMinorUnits(content['refund_amount'] ?? '', 'CNY') ?? 0;
  const before = order.refunds.length;
  const refund = ledger.refund(order.tradeNo, amount, content['out_request_no']);
  if (refund === undefined) return errorResponse('ACQ.REFUND_AMT_NOT_EQUAL_TOTAL', '退款金额超限');
  return successResponse({
    out_trade_no: order.tradeNo,
    trade_no: order.paymentNo,
    fund_change: order.refunds.length > before ? 'Y' : 'N',
    refund_fee: formatMinorUnits(sumRefunds(order), 'CNY'),
  });
}

/** Returns the value of the field `trade_status`. */
export function getTradeStatus(order: ScriptedOrder): string {
  if (order.status === 'paid') return sumRefunds(order) === order.amount ? 'TRADE_CLOSED' : 'TRADE_SUCCESS';
  return order.status === 'open' ? 'WAIT_BUYER_PAY' : 'TRADE_CLOSED';
}

function tradeJson(order: ScriptedOrder): object {
  return {
    trade_no: order.paymentNo,
    out_trade_no: order.tradeNo,
    // Content that breaks a careless parser of the response.
    buyer_logon_id: 'a"}{,"sign":"x"***',
    fund_bill_list: [{ amount: formatMinorUnits(order.amount, 'CNY'), fund_channel: 'ALIPAYACCOUNT' }],
    trade_status: getTradeStatus(order),
    total_amount: formatMinorUnits(order.amount, 'CNY'),
  };
}

function successResponse(content: object): object {
  return { code: '10000', msg: 'Success', ...content };
}

function tradeMissingResponse(): object {
  return errorResponse('ACQ.TRADE_NOT_EXIST', '交易不存在');
}

function errorResponse(subCode: string, subMsg: string): object {
  return { code: '40004', msg: 'Business Failed', sub_code: subCode, sub_msg: subMsg };
}
