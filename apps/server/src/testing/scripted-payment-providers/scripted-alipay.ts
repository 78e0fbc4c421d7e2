/** Simulates Alipay's gateway as https://opendocs.alipay.com/common/02kf5p describes it, with pages that pay. */
import { formatMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { formatChinaTime } from '../../billing/payment-integrations/payment-vendor-payloads.ts';
import { signSha256, verifySha256 } from '../../billing/payment-integrations/rsa-signatures.ts';
import { type Reply, startTestVendor, type VendorRequest } from '../simulated-vendor.ts';
import { renderCashierPage, renderRefusalPage, renderReturnPage } from './cashier-pages.ts';
import { generateRsaKeys } from './rsa-keys.ts';
import { getTradeStatus, handleAlipayCall, openTrade } from './scripted-alipay-api.ts';
import { sumRefunds } from './scripted-orders.ts';
import type {
  ScriptedOptions,
  ScriptedOrder,
  ScriptedProvider,
  SentWebhook,
  SigningKey,
  WebhookFields,
} from './scripted-provider.ts';
import { createVendorCore } from './scripted-provider-core.ts';

const APP_ID = '2021000199990001';

const invalidSignature = {
  code: '40002',
  msg: 'Invalid Arguments',
  sub_code: 'isv.invalid-signature',
  sub_msg: '验签出错',
};

export async function startScriptedAlipay({ now = Date.now }: ScriptedOptions = {}): Promise<ScriptedProvider> {
  const [app, platform, other] = [generateRsaKeys(), generateRsaKeys(), generateRsaKeys()];
  let lastNo = 2026112122001400n;

  const signed = (notifyUrl: string, fields: WebhookFields, key: SigningKey = 'true'): SentWebhook => {
    const params = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
    const signing = key === 'true' ? platform : other;
    const sign = key === 'empty' ? '' : signSha256(joinParams(params), signing.privateKey);
    const body = new URLSearchParams({ ...Object.fromEntries(params), sign, sign_type: 'RSA2' }).toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    return { method: 'POST', url: notifyUrl, headers, body };
  };
  const { ledger, withLostResponses, sendWebhooks, createScriptedProvider } = createVendorCore({
    paymentNo: () => String((lastNo += 1n)),
    isAcknowledged: (_status, text) => text === 'success',
    buildWebhooks(ledger, tradeNo, kind) {
      const order = ledger.find(tradeNo);
      const fields = buildWebhookFields(order, now());
      return kind === 'refunded'
        ? order.refunds.map(({ refundNo }) => signed(order.notifyUrl, buildRefundFields(order, fields, refundNo)))
        : [signed(order.notifyUrl, fields)];
    },
  });

  /** Returns the parameters; undefined if they are not signed by the app. */
  const verified = ({ query, body, method }: VendorRequest): URLSearchParams | undefined => {
    const params = new URLSearchParams(query);
    if (method === 'POST') for (const [name, value] of new URLSearchParams(body)) params.set(name, value);
    const rest = [...params].filter(([name]) => name !== 'sign');
    const isSigned = verifySha256(joinParams(rest), params.get('sign') ?? '', app.publicKey);
    return isSigned && params.get('app_id') === APP_ID ? params : undefined;
  };
  const call = (request: VendorRequest): Reply => {
    const params = verified(request);
    if (params === undefined) return { json: { error_response: invalidSignature } };
    const method = params.get('method') ?? '';
    const content = JSON.parse(params.get('biz_content') ?? '{}') as Record<string, string>;
    const urls = { notifyUrl: params.get('notify_url') ?? '', returnUrl: '' };
    const inner = JSON.stringify(handleAlipayCall(ledger, method, content, urls));
    const sign = signSha256(inner, platform.privateKey);
    const text = `{"${method.replaceAll('.', '_')}_response":${inner},"sign":"${sign}"}`;
    return withLostResponses({ text, headers: { 'content-type': 'text/html;charset=utf-8' } });
  };
  const showCashier = (request: VendorRequest): Reply => {
    const params = verified(request);
    if (params === undefined) return renderRefusalPage('invalid-signature');
    const urls = { notifyUrl: params.get('notify_url') ?? '', returnUrl: params.get('return_url') ?? '' };
    const order = openTrade(ledger, JSON.parse(params.get('biz_content') ?? '{}'), urls);
    return order?.status === 'open' ? renderCashierPage(order, '/scripted-cashier') : renderRefusalPage('参数错误');
  };
  const payAtCashier = ({ body }: VendorRequest): Reply => {
    const tradeNo = new URLSearchParams(body).get('scripted_trade_no') ?? '';
    ledger.pay(tradeNo);
    sendWebhooks(tradeNo);
    return renderReturnPage(ledger.find(tradeNo).returnUrl);
  };
  const vendor = await startTestVendor({
    'GET /gateway.do': showCashier,
    'POST /gateway.do': call,
    'POST /scripted-cashier': payAtCashier,
  });

  return createScriptedProvider(vendor, {
    type: 'alipay',
    config: { app_id: APP_ID, private_key: app.privatePem, public_key: platform.publicPem, pay_type: 'pagepay' },
    originOverrides: {
      'https://openapi-sandbox.dl.alipaydev.com': vendor.url,
      'https://openapi.alipay.com': vendor.url,
    },
    currency: 'CNY',
    sandbox: true,
    setNotifyUrl: () => {},
    forgeWebhook(tradeNo, change, key) {
      const order = ledger.find(tradeNo);
      return signed(order.notifyUrl, change(buildWebhookFields(order, now())), key);
    },
  });
}

function joinParams(params: readonly (readonly [string, string])[]): string {
  return params
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

function buildWebhookFields(order: ScriptedOrder, now: number): WebhookFields {
  return {
    app_id: APP_ID,
    auth_app_id: APP_ID,
    buyer_id: '2088102116773037',
    charset: 'utf-8',
    gmt_create: formatChinaTime(now - 5000).replace('T', ' '),
    gmt_payment: formatChinaTime(now).replace('T', ' '),
    notify_id: '2026112100222134507036241234567890',
    notify_time: formatChinaTime(now).replace('T', ' '),
    notify_type: 'trade_status_sync',
    out_trade_no: order.tradeNo,
    receipt_amount: formatMinorUnits(order.amount, 'CNY'),
    seller_id: '2088111111116894',
    subject: '额度 & more',
    total_amount: formatMinorUnits(order.amount, 'CNY'),
    trade_no: order.paymentNo,
    trade_status: getTradeStatus(order),
    version: '1.0',
  };
}

function buildRefundFields(order: ScriptedOrder, fields: WebhookFields, refundNo: string): WebhookFields {
  const refundFee = formatMinorUnits(sumRefunds(order), 'CNY');
  return { ...fields, refund_fee: refundFee, gmt_refund: fields['notify_time'], out_biz_no: refundNo };
}
