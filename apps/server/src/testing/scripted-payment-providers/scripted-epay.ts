/** Simulates a gateway of the kind 易支付 by its documentation (see payment-integrations/providers/epay/epay.ts). */
import { randomBytes } from 'node:crypto';
import { formatMinorUnits, parseMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { signEpayParams } from '../../billing/payment-integrations/providers/epay/epay.ts';
import { type Reply, startTestVendor, type VendorRequest } from '../simulated-vendor.ts';
import { renderCashierPage, renderRefusalPage, renderReturnPage } from './cashier-pages.ts';
import { sumRefunds } from './scripted-orders.ts';
import type { ScriptedOrder, ScriptedProvider, SentWebhook, SigningKey, WebhookFields } from './scripted-provider.ts';
import { createVendorCore } from './scripted-provider-core.ts';

const PARTNER = '1001';

export async function startScriptedEpay(): Promise<ScriptedProvider> {
  const key = randomBytes(16).toString('hex');
  const keys: Record<SigningKey, string> = { true: key, other: randomBytes(16).toString('hex'), empty: '' };
  const signed = (notifyUrl: string, fields: WebhookFields, signingKey: SigningKey = 'true'): SentWebhook => {
    const params = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
    const query = new URLSearchParams(Object.fromEntries(params));
    query.set('sign', signEpayParams(params, keys[signingKey]));
    query.set('sign_type', 'MD5');
    return { method: 'GET', url: `${notifyUrl}?${query.toString()}`, headers: {}, body: '' };
  };
  let lastNo = 20261121000000;
  const { ledger, withLostResponses, sendWebhooks, createScriptedProvider } = createVendorCore({
    paymentNo: () => String((lastNo += 1)),
    isAcknowledged: (_status, text) => text === 'success',
    buildWebhooks(ledger, tradeNo) {
      const order = ledger.find(tradeNo);
      return [signed(order.notifyUrl, buildWebhookFields(order))];
    },
  });

  const showCashier = ({ body, query, method }: VendorRequest): Reply => {
    const form = method === 'POST' ? new URLSearchParams(body) : query;
    const of = (name: string): string => form.get(name) ?? '';
    const amount = parseMinorUnits(of('money'), 'CNY');
    if (of('pid') !== PARTNER || of('sign') !== signEpayParams(form, key)) return renderRefusalPage('签名校验失败');
    if (amount === undefined || of('out_trade_no') === '' || of('name') === '') return renderRefusalPage('参数错误');
    const order = ledger.open({
      tradeNo: of('out_trade_no'),
      amount,
      currency: 'CNY',
      notifyUrl: of('notify_url'),
      returnUrl: of('return_url'),
    });
    return order.status === 'open' ? renderCashierPage(order, '/cashier') : renderRefusalPage('订单已支付');
  };
  const payAtCashier = ({ body }: VendorRequest): Reply => {
    const tradeNo = new URLSearchParams(body).get('scripted_trade_no') ?? '';
    const { returnUrl } = ledger.find(tradeNo);
    ledger.pay(tradeNo);
    sendWebhooks(tradeNo);
    return renderReturnPage(returnUrl);
  };
  const ask = ({ query }: VendorRequest): Reply => {
    if (query.get('pid') !== PARTNER || query.get('key') !== key)
      return { json: { code: -3, msg: `商户密钥错误 ${query.get('key')}` } };
    if (query.get('act') === 'query') return { json: { code: 1, pid: PARTNER, active: 1, money: '0.00' } };
    const order = ledger.orders.get(query.get('out_trade_no') ?? '');
    return { json: order === undefined ? { code: -1, msg: '订单号不存在' } : orderJson(order) };
  };
  const refund = ({ query, body }: VendorRequest): Reply => {
    const form = new URLSearchParams(body);
    const order = ledger.orders.get(form.get('out_trade_no') ?? '');
    const amount = parseMinorUnits(form.get('money') ?? '', 'CNY');
    if (query.get('act') !== 'refund' || form.get('pid') !== PARTNER || form.get('key') !== key)
      return { json: { code: -3, msg: '商户密钥错误' } };
    if (order?.paymentNo !== form.get('trade_no') || amount === undefined)
      return { json: { code: -1, msg: '订单号不存在' } };
    const refund = ledger.refund(order.tradeNo, amount);
    return withLostResponses({
      json: refund === undefined ? { code: -1, msg: '该订单已退款' } : { code: 1, msg: '退款成功' },
    });
  };

  const vendor = await startTestVendor({
    'POST /submit.php': showCashier,
    'GET /submit.php': showCashier,
    'POST /cashier': payAtCashier,
    'GET /api.php': (request) => withLostResponses(ask(request)),
    'POST /api.php': refund,
  });

  return createScriptedProvider(vendor, {
    type: 'epay',
    config: { pay_domain: vendor.url, partner_id: PARTNER, key, pay_type: 'alipay' },
    originOverrides: {},
    currency: 'CNY',
    sandbox: false,
    setNotifyUrl: () => {},
    forgeWebhook: (tradeNo, change, signingKey) => {
      const order = ledger.find(tradeNo);
      return signed(order.notifyUrl, change(buildWebhookFields(order)), signingKey);
    },
  });
}

function buildWebhookFields(order: ScriptedOrder): WebhookFields {
  return {
    pid: PARTNER,
    trade_no: order.paymentNo,
    out_trade_no: order.tradeNo,
    type: 'alipay',
    name: 'Quota & more',
    money: formatMinorUnits(order.amount, 'CNY'),
    trade_status: order.status === 'paid' ? 'TRADE_SUCCESS' : 'TRADE_CLOSED',
  };
}

function orderJson(order: ScriptedOrder): object {
  const paid = order.status === 'paid' ? 1 : 0;
  return {
    code: 1,
    msg: '查询订单号成功！',
    trade_no: order.paymentNo,
    out_trade_no: order.tradeNo,
    type: 'alipay',
    pid: PARTNER,
    name: 'Quota',
    money: formatMinorUnits(order.amount, 'CNY'),
    status: sumRefunds(order) === order.amount ? 2 : paid,
  };
}
