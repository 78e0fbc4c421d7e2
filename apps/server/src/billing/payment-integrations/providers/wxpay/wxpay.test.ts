import { createPublicKey } from 'node:crypto';
import { currencies } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { afterAll, describe, expect, it } from 'vitest';
import { Aes, Formatter, Rsa, Wechatpay } from 'wechatpay-axios-plugin';
import {
  createPaymentScene,
  toOpenedOrder,
  toPaidOrder,
} from '../../../../testing/scripted-payment-providers/payment-scene.ts';
import { generateRsaKeys } from '../../../../testing/scripted-payment-providers/rsa-keys.ts';
import {
  type SentWebhook,
  toWebhookRequest,
  type WebhookFields,
  type WebhookKind,
} from '../../../../testing/scripted-payment-providers/scripted-provider.ts';
import { startScriptedWxpay } from '../../../../testing/scripted-payment-providers/scripted-wxpay.ts';
import { wxpayApp } from '../../../../testing/scripted-payment-providers/scripted-wxpay-api.ts';
import { encryptResource, isSignedCall } from '../../../../testing/scripted-payment-providers/scripted-wxpay-keys.ts';
import { createProviderClient } from '../../payment-integrations.ts';
import {
  InvalidConfigError,
  InvalidWebhookError,
  type NewProviderOrder,
  PaymentProviderError,
} from '../../payment-provider.ts';
import { readPrivateKey, readPublicKey, verifySha256 } from '../../rsa-signatures.ts';
import { decryptResource } from './platform-keys.ts';

const vendor = await startScriptedWxpay();
const scene = await createPaymentScene(vendor);
const { provider, environment, clock } = scene;
afterAll(() => scene.close());
const { mch_private_key: merchantKey = '', mch_apiv3_key: apiKey = '' } = vendor.config;

const paymentNo = ({ tradeNo }: NewProviderOrder): string => vendor.orders.get(tradeNo)?.paymentNo ?? '';
const certificateCalls = () => vendor.asked.filter((route) => route === 'GET /v3/certificates').length;

async function paidOrder(): Promise<NewProviderOrder> {
  const order = scene.newOrder();
  await provider.openOrder(order);
  vendor.pay(order.tradeNo);
  return order;
}

function buildWebhook(order: NewProviderOrder, kind?: WebhookKind): SentWebhook {
  const [webhook] = vendor.buildWebhooks(order.tradeNo, kind);
  if (webhook === undefined) throw new Error('There is no webhook event');
  return webhook;
}

const read = (webhook: SentWebhook) => provider.readWebhook(toWebhookRequest(webhook));

describe('an order', () => {
  it('opens an order as a code for scanning', async () => {
    const order = scene.newOrder({ description: '很长的名字 '.repeat(20), amount: 105 });
    const { paymentMethod } = await provider.openOrder(order);
    expect(paymentMethod).toEqual({ kind: 'qr', url: expect.stringMatching(/^weixin:\/\/wxpay\/bizpayurl\?pr=/) });
    expect(vendor.orders.get(order.tradeNo)).toMatchObject({ amount: 105, notifyUrl: environment.notifyUrl });
    expect(await provider.openOrder(order)).toEqual({ ref: '', paymentMethod });
  });

  it('opens an order as a page for phones that brings the buyer back', async () => {
    const h5 = await scene.connect({ pay_type: 'H5' });
    const order = scene.newOrder();
    const { paymentMethod } = await h5.openOrder(order);
    expect(paymentMethod).toMatchObject({ kind: 'page', method: 'GET' });
    expect(paymentMethod.kind === 'page' && new URL(paymentMethod.url).searchParams.get('redirect_url')).toBe(
      order.returnUrl,
    );
  });

  it('reports an order as unknown, pending, paid, closed or refunded', async () => {
    const order = scene.newOrder();
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ state: 'unknown' });
    await provider.closeOrder(toOpenedOrder(order, ''));
    await provider.openOrder(order);
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ state: 'pending' });
    vendor.pay(order.tradeNo);
    await provider.closeOrder(toOpenedOrder(order, ''));
    const state = { state: 'paid', providerNo: paymentNo(order), amount: 1234, currency: 'CNY' };
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual(state);
    vendor.refundAtDesk(order.tradeNo, 34);
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ ...state, state: 'refunded' });
    const unpaid = scene.newOrder();
    await provider.openOrder(unpaid);
    await provider.closeOrder(toOpenedOrder(unpaid, ''));
    expect(await provider.pollOrder(toOpenedOrder(unpaid, ''))).toEqual({ state: 'closed' });
    await expect(provider.openOrder(unpaid)).rejects.toThrow('订单已关闭');
  });
});

describe('a webhook event', () => {
  it('reads the webhook event of a payment as paid', async () => {
    const order = await paidOrder();
    expect(await read(buildWebhook(order))).toEqual({
      what: 'paid',
      tradeNo: order.tradeNo,
      providerNo: paymentNo(order),
      amount: 1234,
      currency: 'CNY',
    });
  });

  it('reports refunds, those made at WeChat Pay too', async () => {
    const order = await paidOrder();
    await provider.refund(toPaidOrder(order, '', paymentNo(order)), { refundNo: 'R-n1', amount: 200, reason: '' });
    vendor.refundAtDesk(order.tradeNo, 34);
    const events = await Promise.all(vendor.buildWebhooks(order.tradeNo, 'refunded').map(read));
    expect(events).toMatchObject([
      { what: 'refunded', tradeNo: order.tradeNo, refundNo: 'R-n1', amount: 200 },
      { what: 'refunded', tradeNo: order.tradeNo, amount: 34 },
    ]);
  });

  it('reports a refund that is closed, and one whose money WeChat Pay holds', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', paymentNo(order));
    const wanted = { refundNo: 'R-n2', amount: 200, reason: '' };
    await provider.refund(payment, wanted);
    const [refund = expect.fail('no refund')] = vendor.orders.get(order.tradeNo)?.refunds ?? [];
    const ids = { tradeNo: order.tradeNo, refundNo: 'R-n2', providerRefundNo: refund.providerNo };
    const facts = { ...ids, amount: 200, paymentNo: paymentNo(order) };
    for (const [status, what, state] of [
      ['failed', 'refund-failed', 'failed'],
      ['abnormal', 'refund-unclear', 'unclear'],
      ['pending', undefined, 'pending'],
    ] as const) {
      refund.status = status;
      const [webhook = expect.fail('no webhook event')] = vendor.buildWebhooks(order.tradeNo, 'refunded');
      const event = await read(webhook);
      if (what === undefined) expect(event).toBeUndefined();
      else expect(event).toEqual({ what, ...facts, reason: expect.any(String) });
      expect(await provider.pollRefund(payment, wanted)).toMatchObject({ state });
    }
  });

  it.each([
    // The currency is optional, and the merchant's currency by default.
    [{ total: 1234 }, { amount: 1234, currency: 'CNY' }],
    [
      { total: 1234, currency: 'CNY' },
      { amount: 1234, currency: 'CNY' },
    ],
    [
      { total: 1234, payer_total: 171, payer_currency: 'USD' },
      { amount: 1234, currency: 'CNY' },
    ],
    [
      { total: 1234, currency: 'CNY', payer_total: 0, payer_currency: 'CNY' },
      { amount: 1234, currency: 'CNY' },
    ],
    [
      { total: 1234, currency: 'USD', payer_total: 1234, payer_currency: 'CNY' },
      { amount: 1234, currency: 'USD' },
    ],
  ])('reports the amount of the order, not of the payer, and its currency: %j', async (amount, expected) => {
    const order = await paidOrder();
    const webhook = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, amount }));
    expect(await read(webhook)).toMatchObject({ what: 'paid', ...expected });
  });

  it.each(currencies.filter((currency) => currency !== 'CNY'))('refuses an order in %s', async (currency) => {
    const order = { ...scene.newOrder(), currency };
    await expect(provider.openOrder(order)).rejects.toThrow(`This payment method does not support ${currency}`);
    expect(vendor.orders.has(order.tradeNo)).toBe(false);
  });

  it('ignores a webhook event of a trade that is not paid', async () => {
    const order = await paidOrder();
    const closed = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, trade_state: 'CLOSED' }));
    expect(await read(closed)).toBeUndefined();
  });

  it('refuses a webhook event of another merchant, app or key, or without an amount', async () => {
    const order = await paidOrder();
    const forge = (changes: WebhookFields, key?: 'other' | 'empty') =>
      vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, ...changes }), key);
    for (const webhook of [
      forge({ mchid: '1900000110' }),
      forge({ appid: 'wx1' }),
      forge({ amount: undefined }),
      forge({ amount: { total: 12.5, currency: 'CNY' } }),
      forge({ transaction_id: '' }),
      forge({}, 'other'),
      forge({}, 'empty'),
    ])
      await expect(read(webhook)).rejects.toThrow(InvalidWebhookError);
  });

  it('refuses a webhook event signed more than five minutes ago or ahead', async () => {
    const order = await paidOrder();
    const webhook = buildWebhook(order);
    for (const seconds of [301, -302]) {
      clock.advance(seconds);
      try {
        await expect(read(webhook)).rejects.toThrow(InvalidWebhookError);
      } finally {
        clock.advance(-seconds);
      }
    }
    expect(await read(webhook)).toMatchObject({ what: 'paid' });
  });

  it('refuses WeChat Pay’s probe with an invalid signature', async () => {
    const order = await paidOrder();
    const { headers, ...webhook } = buildWebhook(order);
    const signature = `WECHATPAY/SIGNTEST/${headers['wechatpay-signature']}`;
    await expect(read({ ...webhook, headers: { ...headers, 'wechatpay-signature': signature } })).rejects.toThrow(
      InvalidWebhookError,
    );
  });

  it('responds to a webhook event in the form that WeChat Pay waits for', () => {
    expect(provider.respondToWebhook(true)).toMatchObject({ status: 200, body: '{"code":"SUCCESS"}' });
    expect(provider.respondToWebhook(false)).toMatchObject({ status: 400, contentType: 'application/json' });
  });
});

describe('the key that WeChat Pay signs by', () => {
  it('downloads an unknown platform certificate at most once a minute', async () => {
    const order = await paidOrder();
    await read(buildWebhook(order));
    const before = certificateCalls();
    await Promise.all([read(buildWebhook(order)), read(buildWebhook(order))]);
    expect(certificateCalls()).toBe(before);

    const stranger = (serial: string): SentWebhook => {
      const webhook = buildWebhook(order);
      return { ...webhook, headers: { ...webhook.headers, 'wechatpay-serial': serial } };
    };
    clock.advance(61);
    const webhooks = Array.from({ length: 20 }, (_, index) => read(stranger(`70${index}`)));
    for (const webhook of webhooks) await expect(webhook).rejects.toThrow(InvalidWebhookError);
    expect(certificateCalls()).toBe(before + 1);
    await expect(read(stranger('7123'))).rejects.toThrow(InvalidWebhookError);
    expect(certificateCalls()).toBe(before + 1);

    vendor.setSigningKey('new-certificate');
    await expect(read(buildWebhook(order))).rejects.toThrow(InvalidWebhookError);
    clock.advance(61);
    expect(await read(buildWebhook(order))).toMatchObject({ what: 'paid' });
    expect(certificateCalls()).toBe(before + 2);
    clock.advance(-122);
  });

  it('uses the configured public key, and accepts certificates until the migration to it is over', async () => {
    const moving = await scene.connect(vendor.publicKeyConfig);
    const order = await paidOrder();
    const before = certificateCalls();
    vendor.setSigningKey('public-key');
    expect(await moving.readWebhook(toWebhookRequest(buildWebhook(order)))).toMatchObject({ what: 'paid' });
    expect(await moving.pollOrder(toOpenedOrder(order, ''))).toMatchObject({ state: 'paid' });
    expect(certificateCalls()).toBe(before);
    vendor.setSigningKey('certificate');
    expect(await moving.readWebhook(toWebhookRequest(buildWebhook(order)))).toMatchObject({ what: 'paid' });
    expect(certificateCalls()).toBe(before + 1);
  });

  it('requires its signature on successful responses', async () => {
    const order = await paidOrder();
    const key = generateRsaKeys();
    const deceived = await scene.connect({ ...vendor.publicKeyConfig, platform_public_key: key.publicPem });
    const error = await deceived.pollOrder(toOpenedOrder(order, '')).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(PaymentProviderError);
  });
});

describe('a refund', () => {
  it('makes a refund once per refund number even when the response gets lost', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', paymentNo(order));
    const refund = { refundNo: 'R-w2', amount: 100, reason: 'asked for' };
    expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'unknown' });
    vendor.loseResponses(1);
    await expect(provider.refund(payment, refund)).rejects.not.toThrow(PaymentProviderError);
    const done = { state: 'done', providerNo: expect.any(String) };
    expect(await provider.refund(payment, refund)).toEqual(done);
    expect(await provider.pollRefund(payment, refund)).toEqual(done);
    expect(vendor.orders.get(order.tradeNo)?.refunds).toHaveLength(1);
    await expect(provider.refund(payment, { refundNo: 'R-w3', amount: 1200, reason: '' })).rejects.toThrow(
      PaymentProviderError,
    );
  });

  it('reports that money went back if WeChat Pay knows refunds, and not the one that failed', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', paymentNo(order));
    const failed = { refundNo: 'R-w4', amount: 100, reason: '' };
    expect(await provider.listReportedRefunds(payment, failed)).toEqual({ events: [], minAmount: 0 });
    vendor.refundAtDesk(order.tradeNo, 500);
    expect(await provider.listReportedRefunds(payment, failed)).toEqual({ events: [], minAmount: 1 });
    await provider.refund(payment, failed);
    expect(await provider.listReportedRefunds(payment, failed)).toEqual({ events: [], minAmount: 0 });
  });
});

describe('a client that others have written', () => {
  it('accepts the simulated WeChat Pay’s responses and their signatures', async () => {
    const order = await paidOrder();
    vendor.setSigningKey('public-key');
    const { platform_public_key_id: id, platform_public_key: pem } = vendor.publicKeyConfig;
    const client = new Wechatpay({
      mchid: wxpayApp.mchId,
      serial: vendor.config['mch_certificate_serial_number'] ?? '',
      privateKey: merchantKey,
      certs: { [id]: pem },
      baseURL: vendor.url,
    });
    const answer = await client
      .chain(`v3/pay/transactions/out-trade-no/${order.tradeNo}`)
      .get<{ trade_state: string }>({ params: { mchid: wxpayApp.mchId } });
    vendor.setSigningKey('certificate');
    expect(answer.data.trade_state).toBe('SUCCESS');
  });

  it('signs and verifies as we do', () => {
    const timestamp = Formatter.timestamp();
    const [nonce, body] = [Formatter.nonce(), '{"a":"额度"}'];
    const request = Formatter.request('POST', '/v3/x?y=1', timestamp, nonce, body);
    const signature = Rsa.sign(request, Rsa.from(merchantKey, Rsa.KEY_TYPE_PRIVATE));
    const authorization = Formatter.authorization(wxpayApp.mchId, nonce, signature, timestamp, 'S1');
    const key = readPublicKey(publicHalf());
    if (key === undefined) throw new Error('There is no key');
    const call = { method: 'POST', target: '/v3/x?y=1', body, authorization };
    expect(isSignedCall(call, { mchId: wxpayApp.mchId, serial: 'S1', key })).toBe(true);
    expect(isSignedCall({ ...call, body: '{}' }, { mchId: wxpayApp.mchId, serial: 'S1', key })).toBe(false);
    expect(verifySha256(request, signature, key)).toBe(true);
    expect(verifySha256(request, `${signature.slice(0, -1)}!`, key)).toBe(false);
  });

  it('the SDK verifies our webhook events, and encrypts and decrypts as we do', async () => {
    const order = await paidOrder();
    const { headers, body } = buildWebhook(order);
    const of = (name: string): string => headers[`wechatpay-${name}`] ?? '';
    const message = Formatter.response(of('timestamp'), of('nonce'), String(body));
    vendor.setSigningKey('public-key');
    const byKey = buildWebhook(order);
    vendor.setSigningKey('certificate');
    const key = Rsa.from(vendor.publicKeyConfig.platform_public_key, Rsa.KEY_TYPE_PUBLIC);
    const sdkSignature = Formatter.response(
      byKey.headers['wechatpay-timestamp'] ?? '',
      byKey.headers['wechatpay-nonce'] ?? '',
      String(byKey.body),
    );
    expect(Rsa.verify(sdkSignature, byKey.headers['wechatpay-signature'] ?? '', key)).toBe(true);
    expect(Rsa.verify(message, of('signature'), key)).toBe(false);

    const { resource } = JSON.parse(String(body)) as { resource: Record<string, string> };
    const { ciphertext = '', nonce = '', associated_data: bound = '' } = resource;
    const content = Aes.AesGcm.decrypt(ciphertext, apiKey, nonce, bound);
    const parts = { algorithm: 'AEAD_AES_256_GCM' as const, ciphertext, nonce, associated_data: bound };
    expect(decryptResource(parts, Buffer.from(apiKey))).toBe(content);
    const sealed = Aes.AesGcm.encrypt('额度', apiKey, 'abcdefghijkl', 'x');
    const theirParts = { ...parts, ciphertext: sealed, nonce: 'abcdefghijkl', associated_data: 'x' };
    expect(decryptResource(theirParts, Buffer.from(apiKey))).toBe('额度');
    expect(decryptResource({ ...theirParts, associated_data: 'y' }, Buffer.from(apiKey))).toBeUndefined();
    const ours = encryptResource('quota', apiKey, 'x');
    expect(Aes.AesGcm.decrypt(ours['ciphertext'] ?? '', apiKey, ours['nonce'] ?? '', 'x')).toBe('quota');
  });
});

describe('a configuration', () => {
  it('rejects a configuration without keys or with wrong ones', () => {
    for (const changes of [
      { mch_private_key: '' },
      { mch_private_key: 'no key' },
      { mch_apiv3_key: '' },
      { mch_apiv3_key: 'short' },
      { mch_id: '' },
      { pay_type: 'JSAPI' },
      { platform_public_key_id: 'PUB_KEY_ID_1' },
      { platform_public_key: vendor.publicKeyConfig.platform_public_key },
      { ...vendor.publicKeyConfig, platform_public_key: 'no key' },
    ])
      expect(() => createProviderClient('wxpay', { ...vendor.config, ...changes }, environment)).toThrow(
        InvalidConfigError,
      );
    expect(() => createProviderClient('wxpay', vendor.config, { ...environment, sandbox: true })).toThrow(
      InvalidConfigError,
    );
  });

  it('tests a configuration by its certificates and by a query for an unknown order', async () => {
    await provider.test();
    const wrongKey = await scene.connect({ mch_apiv3_key: '0123456789abcdef0123456789abcdef' });
    await expect(wrongKey.test()).rejects.toThrow(PaymentProviderError);
    const stranger = await scene.connect({ mch_private_key: generateRsaKeys().privatePem });
    await expect(stranger.test()).rejects.toThrow(PaymentProviderError);
  });
});

function publicHalf(): string {
  const key = readPrivateKey(merchantKey);
  if (key === undefined) throw new Error('There is no key');
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}
