/** Responses of WeChat Pay's API: https://pay.weixin.qq.com/doc/v3/merchant/4012791877 */
import { randomUUID } from 'node:crypto';
import type { Reply } from '../simulated-vendor.ts';
import type { ScriptedLedger } from './scripted-orders.ts';
import type { ScriptedOrder } from './scripted-provider.ts';

export const wxpayApp = { appId: 'wx0123456789abcdef', mchId: '1900000109', appSecret: 'scripted-app-secret' };

interface OrderBody {
  appid?: string;
  mchid?: string;
  description?: string;
  out_trade_no?: string;
  time_expire?: string;
  notify_url?: string;
  amount?: { total?: number; currency?: string };
  scene_info?: { payer_client_ip?: string; h5_info?: { type?: string } };
  payer?: { openid?: string };
}

interface RefundBody {
  out_trade_no?: string;
  out_refund_no?: string;
  amount?: { refund?: number; total?: number; currency?: string };
}

interface WxpayState {
  ledger: ScriptedLedger;
  /** Returns the address of its pages. */
  url: () => string;
  /** Payers whose ids the app has received. */
  openIds: ReadonlySet<string>;
}

/** Handles a call with a valid signature. @param target path and query */
export function handleWxpayCall(state: WxpayState, method: string, target: string, body: string): Reply {
  const { pathname, searchParams } = new URL(target, 'https://api.mch.weixin.qq.com');
  const open = /^\/v3\/pay\/transactions\/(native|h5|jsapi)$/.exec(pathname)?.[1];
  if (method === 'POST' && open !== undefined) return openOrder(state, open, JSON.parse(body) as OrderBody);
  if (method === 'POST' && pathname === '/v3/refund/domestic/refunds')
    return makeRefund(state.ledger, JSON.parse(body) as RefundBody);
  const refundNo = /^\/v3\/refund\/domestic\/refunds\/(.+)$/.exec(pathname)?.[1];
  if (refundNo !== undefined) return showRefund(state.ledger, decodeURIComponent(refundNo));
  const [, tradeNo = '', close] = /^\/v3\/pay\/transactions\/out-trade-no\/([^/]+)(\/close)?$/.exec(pathname) ?? [];
  const mchid = close === undefined ? searchParams.get('mchid') : (JSON.parse(body) as OrderBody).mchid;
  if (mchid !== wxpayApp.mchId) return errorReply(400, 'PARAM_ERROR', '参数错误');
  const order = state.ledger.orders.get(decodeURIComponent(tradeNo));
  if (order === undefined) return errorReply(404, 'ORDER_NOT_EXIST', '订单不存在');
  if (close === undefined) return { json: buildTransaction(order) };
  if (order.status === 'paid') return errorReply(400, 'ORDERPAID', '订单已支付');
  order.status = 'closed';
  return { status: 204 };
}

function openOrder({ ledger, url, openIds }: WxpayState, kind: string, body: OrderBody): Reply {
  const { out_trade_no: tradeNo = '', amount, description = '', notify_url: notifyUrl = '' } = body;
  const isGood =
    body.appid === wxpayApp.appId &&
    body.mchid === wxpayApp.mchId &&
    /^[\w|*-]{6,32}$/.test(tradeNo) &&
    Buffer.byteLength(description) <= 127 &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00$/.test(body.time_expire ?? '') &&
    amount?.currency === 'CNY' &&
    Number.isInteger(amount.total);
  if (!isGood) return errorReply(400, 'PARAM_ERROR', '参数错误');
  if (kind === 'h5' && (body.scene_info?.payer_client_ip === undefined || body.scene_info.h5_info?.type !== 'Wap'))
    return errorReply(400, 'PARAM_ERROR', '缺少场景信息');
  if (kind === 'jsapi' && !openIds.has(body.payer?.openid ?? '')) return errorReply(400, 'PARAM_ERROR', '无效的openid');
  const total = amount.total ?? 0;
  const order = ledger.open({ tradeNo, amount: total, currency: 'CNY', notifyUrl, returnUrl: '' });
  if (order.status === 'paid') return errorReply(400, 'ORDERPAID', '订单已支付');
  if (order.status !== 'open') return errorReply(400, 'ORDER_CLOSED', '订单已关闭');
  const prepayId = `wx${order.paymentNo}`;
  if (kind === 'native') return { json: { code_url: `weixin://wxpay/bizpayurl?pr=${prepayId}` } };
  if (kind === 'jsapi') return { json: { prepay_id: prepayId } };
  return { json: { h5_url: `${url()}/cgi-bin/mmpayweb-bin/checkmweb?prepay_id=${prepayId}&package=1` } };
}

/** Returns a transaction as in responses and, encrypted, in webhooks. */
export function buildTransaction(order: ScriptedOrder): Record<string, unknown> {
  const states = { open: 'NOTPAY', paid: 'SUCCESS', failed: 'PAYERROR', closed: 'CLOSED' };
  const isPaid = order.status === 'paid';
  return {
    appid: wxpayApp.appId,
    mchid: wxpayApp.mchId,
    out_trade_no: order.tradeNo,
    ...(isPaid ? { transaction_id: order.paymentNo } : {}),
    trade_type: 'NATIVE',
    trade_state: isPaid && order.refunds.length > 0 ? 'REFUND' : states[order.status],
    trade_state_desc: '支付状态 "测试"',
    bank_type: 'OTHERS',
    amount: { total: order.amount, payer_total: order.amount, currency: 'CNY', payer_currency: 'CNY' },
  };
}

function makeRefund(
  ledger: ScriptedLedger,
  { out_trade_no: tradeNo = '', out_refund_no: refundNo, amount }: RefundBody,
): Reply {
  const order = ledger.orders.get(tradeNo);
  if (order === undefined || refundNo === undefined) return errorReply(404, 'RESOURCE_NOT_EXISTS', '订单不存在');
  if (amount?.total !== order.amount || amount.currency !== 'CNY')
    return errorReply(400, 'PARAM_ERROR', '订单金额不一致');
  const refund = ledger.refund(tradeNo, amount.refund ?? 0, refundNo);
  if (refund === undefined) return errorReply(400, 'INVALID_REQUEST', '退款金额大于可退金额');
  return showRefund(ledger, refundNo);
}

export const refundStatuses = {
  pending: 'PROCESSING',
  succeeded: 'SUCCESS',
  failed: 'CLOSED',
  abnormal: 'ABNORMAL',
} as const;

function showRefund(ledger: ScriptedLedger, refundNo: string): Reply {
  for (const order of ledger.orders.values()) {
    const existing = order.refunds.find((refund) => refund.refundNo === refundNo);
    if (existing !== undefined)
      return {
        json: { refund_id: existing.providerNo, out_refund_no: refundNo, status: refundStatuses[existing.status] },
      };
  }
  return errorReply(404, 'RESOURCE_NOT_EXISTS', '退款单不存在');
}

export function errorReply(status: number, code: string, message: string): Reply {
  return { status, json: { code, message, detail: { id: randomUUID() } } };
}
