/**
 * Simulates WeChat Pay's API v3 as https://pay.weixin.qq.com/doc/v3/merchant/4012791858 describes it, with a page
 * that pays.
 */
import { randomBytes } from 'node:crypto';
import { type Reply, startTestVendor, type VendorRequest } from '../simulated-vendor.ts';
import { renderCashierPage, renderRefusalPage, renderReturnPage } from './cashier-pages.ts';
import { generateRsaKeys } from './rsa-keys.ts';
import type {
  ScriptedOptions,
  ScriptedOrder,
  ScriptedProvider,
  WebhookFields,
  WebhookKind,
} from './scripted-provider.ts';
import { createVendorCore } from './scripted-provider-core.ts';
import { buildTransaction, errorReply, handleWxpayCall, refundStatuses, wxpayApp } from './scripted-wxpay-api.ts';
import { createWxpayPlatform, isSignedCall, type WxpayPlatform } from './scripted-wxpay-keys.ts';

export interface ScriptedWxpay extends ScriptedProvider {
  /** Fields of a configuration that verifies by the public key. */
  publicKeyConfig: WxpayPlatform['publicKeyConfig'];
  /** Switches the signing key to that of the public key, or of a new certificate. */
  setSigningKey: WxpayPlatform['setSigningKey'];
  /** Creates the code that the app receives when a user opens a link in WeChat. */
  createCode(openId: string): string;
}

const SERIAL = '5157F09EFDC096DE15EBE81A47057A7232F1B8E1';

export async function startScriptedWxpay({ now = Date.now }: ScriptedOptions = {}): Promise<ScriptedWxpay> {
  const merchant = generateRsaKeys();
  const apiKey = randomBytes(16).toString('hex');
  const platform = createWxpayPlatform(apiKey, now);
  const openIds = new Set<string>();
  const codes = new Map<string, string>();
  let [lastNo, url] = [4200001234202611210000000000n, ''];

  const { ledger, withLostResponses, sendWebhooks, createScriptedProvider } = createVendorCore({
    paymentNo: () => String((lastNo += 1n)),
    isAcknowledged: (status) => status === 200 || status === 204,
    buildWebhooks(ledger, tradeNo, kind) {
      const order = ledger.find(tradeNo);
      return buildWebhookContents(order, kind).map(([type, content]) =>
        platform.buildWebhook(order.notifyUrl, type, content),
      );
    },
  });

  const call = ({ method, target, body, headers }: VendorRequest): Reply => {
    const authorization = headers.authorization ?? '';
    const key = { mchId: wxpayApp.mchId, serial: SERIAL, key: merchant.publicKey };
    if (!isSignedCall({ method, target, body, authorization }, key)) return errorReply(401, 'SIGN_ERROR', '签名错误');
    const reply =
      target === '/v3/certificates'
        ? { json: platform.certificates() }
        : handleWxpayCall({ ledger, url: () => url, openIds }, method, target, body);
    if (typeof reply === 'string') return reply;
    const text = reply.status === 204 ? '' : JSON.stringify(reply.json);
    const signed = platform.signResponse(text, String(headers['wechatpay-serial'] ?? ''));
    return withLostResponses({ status: reply.status ?? 200, text, headers: signed });
  };
  const page = ({ method, query, body, target }: VendorRequest): Reply => {
    const prepayId = query.get('prepay_id') ?? '';
    const order = [...ledger.orders.values()].find(({ paymentNo }) => prepayId === `wx${paymentNo}`);
    if (order?.status !== 'open') return renderRefusalPage('订单已关闭');
    if (method === 'GET') return renderCashierPage(order, target);
    ledger.pay(new URLSearchParams(body).get('scripted_trade_no') ?? '');
    sendWebhooks(order.tradeNo);
    return renderReturnPage(query.get('redirect_url') ?? '');
  };
  const vendor = await startTestVendor(
    {
      'GET /cgi-bin/mmpayweb-bin/checkmweb': page,
      'POST /cgi-bin/mmpayweb-bin/checkmweb': page,
      'GET /sns/oauth2/access_token': ({ query }) => sendOpenId(query, codes),
    },
    call,
  );
  url = vendor.url;

  const paymentVendor = createScriptedProvider(vendor, {
    type: 'wxpay',
    config: {
      app_id: wxpayApp.appId,
      mch_id: wxpayApp.mchId,
      mch_certificate_serial_number: SERIAL,
      mch_private_key: merchant.privatePem,
      mch_apiv3_key: apiKey,
      pay_type: 'Native',
    },
    originOverrides: { 'https://api.mch.weixin.qq.com': url, 'https://api.weixin.qq.com': url },
    currency: 'CNY',
    sandbox: false,
    setNotifyUrl: () => {},
    forgeWebhook(tradeNo, change, key) {
      const order = ledger.find(tradeNo);
      return platform.buildWebhook(order.notifyUrl, 'TRANSACTION.SUCCESS', change(buildTransaction(order)), key);
    },
  });
  return {
    ...paymentVendor,
    publicKeyConfig: platform.publicKeyConfig,
    setSigningKey: (key) => platform.setSigningKey(key),
    createCode(openId) {
      const code = randomBytes(12).toString('hex');
      openIds.add(openId);
      codes.set(code, openId);
      return code;
    },
  };
}

/** Returns the payer's id once for each code. */
function sendOpenId(query: URLSearchParams, codes: Map<string, string>): Reply {
  const code = query.get('code') ?? '';
  if (query.get('appid') !== wxpayApp.appId || query.get('secret') !== wxpayApp.appSecret)
    return { json: { errcode: 40125, errmsg: 'invalid appsecret' } };
  const openid = codes.get(code);
  codes.delete(code);
  return { json: openid === undefined ? { errcode: 40163, errmsg: 'code been used' } : { access_token: 'a', openid } };
}

function buildWebhookContents(order: ScriptedOrder, kind: WebhookKind): [string, WebhookFields][] {
  if (kind !== 'refunded') return [['TRANSACTION.SUCCESS', { ...buildTransaction({ ...order, refunds: [] }) }]];
  return order.refunds.map(({ refundNo, providerNo, amount, status }) => [
    `REFUND.${refundStatuses[status]}`,
    {
      mchid: wxpayApp.mchId,
      out_trade_no: order.tradeNo,
      transaction_id: order.paymentNo,
      out_refund_no: refundNo,
      refund_id: providerNo,
      refund_status: refundStatuses[status],
      amount: { total: order.amount, refund: amount, payer_total: order.amount, payer_refund: amount },
    },
  ]);
}
