import { createPublicKey } from 'node:crypto';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AlipaySdk } from '../../../../testing/scripted-payment-providers/official-alipay.ts';
import {
  createPaymentScene,
  toOpenedOrder,
  toPaidOrder,
} from '../../../../testing/scripted-payment-providers/payment-scene.ts';
import { generateRsaKeys } from '../../../../testing/scripted-payment-providers/rsa-keys.ts';
import { startScriptedAlipay } from '../../../../testing/scripted-payment-providers/scripted-alipay.ts';
import {
  type SentWebhook,
  toWebhookRequest,
  type WebhookKind,
} from '../../../../testing/scripted-payment-providers/scripted-provider.ts';
import { createProviderClient } from '../../payment-integrations.ts';
import {
  InvalidConfigError,
  InvalidWebhookError,
  type NewProviderOrder,
  type PaymentProviderClient,
  PaymentProviderError,
} from '../../payment-provider.ts';
import { readPrivateKey, readPublicKey } from '../../rsa-signatures.ts';
import { createAlipayGateway, isSignedWebhook, readAlipayKeys, signParams } from './alipay-gateway.ts';

const scene = await createPaymentScene(await startScriptedAlipay());
const { vendor, provider, environment } = scene;
afterAll(() => scene.close());
const facepay = await scene.connect({ pay_type: 'facepay' });

const { app_id: appId = '', private_key: privateKey = '', public_key: alipayPublicKey = '' } = vendor.config;
const gateway = `${vendor.url}/gateway.do`;
/** The official SDK with the same keys. */
const sdk = new AlipaySdk({ appId, privateKey, alipayPublicKey, gateway, keyType: 'PKCS8' });

async function pageOf(order: NewProviderOrder, by: PaymentProviderClient = provider): Promise<URL> {
  const { paymentMethod } = await by.openOrder(order);
  if (paymentMethod.kind !== 'page') throw new Error('There is no page');
  return new URL(paymentMethod.url);
}

/** The buyer opens the page; Alipay's address is played by the company's. */
async function opensPage(order: NewProviderOrder): Promise<string> {
  const answer = await fetch(`${gateway}${(await pageOf(order)).search}`);
  return `${answer.status} ${await answer.text()}`;
}

async function paidOrder(): Promise<NewProviderOrder> {
  const order = scene.newOrder();
  await opensPage(order);
  vendor.pay(order.tradeNo);
  return order;
}

const paymentNo = ({ tradeNo }: NewProviderOrder): string => vendor.orders.get(tradeNo)?.paymentNo ?? '';
const read = (webhook: SentWebhook) => provider.readWebhook(toWebhookRequest(webhook));
const readAll = (order: NewProviderOrder, kind?: WebhookKind) =>
  Promise.all(vendor.buildWebhooks(order.tradeNo, kind).map(read));

describe('an order', () => {
  it('opens an order as a page whose address is signed as a whole', async () => {
    const order = scene.newOrder({ description: 'a/b=c&d', amount: 105 });
    const address = await pageOf(order);
    expect(address.origin).toBe('https://openapi-sandbox.dl.alipaydev.com');
    expect(await opensPage(order)).toContain('200 ');
    expect(vendor.orders.get(order.tradeNo)).toMatchObject({
      amount: 105,
      notifyUrl: environment.notifyUrl,
      returnUrl: order.returnUrl,
    });
    address.searchParams.set('notify_url', 'https://elsewhere.example/');
    const changed = await fetch(`${gateway}${address.search}`);
    expect(changed.status).toBe(400);
  });

  it('opens an order at the real gateway outside the sandbox, on phones by its own product', async () => {
    const { sandbox: _sandbox, ...rest } = environment;
    const real = createProviderClient('alipay', { ...vendor.config, pay_type: 'wappay' }, { ...rest, sandbox: false });
    const address = await pageOf(scene.newOrder(), real);
    expect(address.origin).toBe('https://openapi.alipay.com');
    expect(address.searchParams.get('method')).toBe('alipay.trade.wap.pay');
    expect(address.searchParams.get('biz_content')).toContain('QUICK_WAP_WAY');
  });

  it('sends the end of an order in China time', async () => {
    const order = scene.newOrder({ expiresAt: Date.parse('2026-11-21T20:30:00Z') / 1000 });
    const content = (await pageOf(order)).searchParams.get('biz_content') ?? '';
    expect(JSON.parse(content)).toMatchObject({ time_expire: '2026-11-22 04:30:00', total_amount: '12.34' });
  });

  it('refuses a response full of braces in milliseconds', async () => {
    const text = `{"alipay_trade_query_response":{"msg":"${'}'.repeat(100_000)}`;
    const fetch = async (): Promise<Response> => new Response(text);
    const broken = createAlipayGateway(readAlipayKeys(vendor.config), { ...environment, fetch });
    const readCpuMs = startCpuTimer();
    await expect(broken.call('alipay.trade.query', {}, z.unknown())).rejects.toThrow('undocumented format');
    expect(readCpuMs()).toBeLessThan(1_000);
  });

  it('opens an order as a code for scanning', async () => {
    const { paymentMethod } = await facepay.openOrder(scene.newOrder());
    expect(paymentMethod).toEqual({ kind: 'qr', url: expect.stringMatching(/^https:\/\/qr\.alipay\.com\//) });
  });

  it('reports an order as unknown, pending, paid or closed', async () => {
    const order = scene.newOrder();
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ state: 'unknown' });
    await provider.closeOrder(toOpenedOrder(order, ''));
    await opensPage(order);
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ state: 'pending' });
    vendor.pay(order.tradeNo);
    await provider.closeOrder(toOpenedOrder(order, ''));
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({
      state: 'paid',
      providerNo: paymentNo(order),
      amount: 1234,
      currency: 'CNY',
    });
    const unpaid = scene.newOrder();
    await facepay.openOrder(unpaid);
    await provider.closeOrder(toOpenedOrder(unpaid, ''));
    expect(await provider.pollOrder(toOpenedOrder(unpaid, ''))).toEqual({ state: 'closed' });
    expect(await readAll(unpaid)).toMatchObject([{ what: 'closed', tradeNo: unpaid.tradeNo }]);
  });
});

describe('a webhook event', () => {
  it('reads the webhook event of a payment as paid', async () => {
    const order = await paidOrder();
    expect(await readAll(order)).toEqual([
      { what: 'paid', tradeNo: order.tradeNo, providerNo: paymentNo(order), amount: 1234, currency: 'CNY' },
    ]);
    const finished = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, trade_status: 'TRADE_FINISHED' }));
    expect(await read(finished)).toMatchObject({ what: 'paid' });
    const waiting = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, trade_status: 'WAIT_BUYER_PAY' }));
    expect(await read(waiting)).toBeUndefined();
  });

  it('reads the webhook event of a refund as a refund of its amount, not as a second payment', async () => {
    const order = await paidOrder();
    await provider.refund(toPaidOrder(order, '', paymentNo(order)), { refundNo: 'R-1', amount: 200, reason: 'r' });
    vendor.refundAtDesk(order.tradeNo, 34);
    expect(await readAll(order, 'refunded')).toMatchObject([
      { what: 'refunded', tradeNo: order.tradeNo, refundNo: 'R-1', amount: 200 },
      { what: 'refunded', tradeNo: order.tradeNo, amount: 34 },
    ]);
    for (const field of ['refund_fee', 'gmt_refund']) {
      const webhook = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, [field]: '2.34' }));
      expect(await read(webhook)).toBeUndefined();
    }
  });

  it('reports a refund at the merchant’s desk that has no number but the order’s', async () => {
    const order = await paidOrder();
    const { tradeNo } = order;
    vendor.orders.get(tradeNo)?.refunds.push({ refundNo: tradeNo, providerNo: '', amount: 34, status: 'succeeded' });
    const webhook = vendor.forgeWebhook(tradeNo, (fields) => ({ ...fields, refund_fee: '0.34' }));
    const ids = { tradeNo, refundNo: tradeNo, providerRefundNo: tradeNo, paymentNo: paymentNo(order) };
    expect(await read(webhook)).toEqual({ what: 'refunded', ...ids, amount: 34 });
  });

  it('refuses a webhook event for another app, of another type or signed by another key', async () => {
    const order = await paidOrder();
    const forge = (changes: Record<string, string>, key?: 'other' | 'empty') =>
      vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, ...changes }), key);
    for (const webhook of [
      forge({ app_id: '2021000199990002' }),
      forge({ notify_type: 'other' }),
      forge({ total_amount: '12.345' }),
      forge({ trade_no: '' }),
      forge({}, 'other'),
      forge({}, 'empty'),
    ])
      await expect(read(webhook)).rejects.toThrow(InvalidWebhookError);
  });

  it('responds to a webhook event with the words that Alipay waits for', () => {
    expect([provider.respondToWebhook(true).body, provider.respondToWebhook(false).body]).toEqual([
      'success',
      'failure',
    ]);
  });
});

describe('a refund', () => {
  it('makes a refund once per refund number even when the response gets lost', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', paymentNo(order));
    const refund = { refundNo: 'R-2', amount: 100, reason: 'asked for' };
    expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'unknown' });
    vendor.loseResponses(1);
    await expect(provider.refund(payment, refund)).rejects.not.toThrow(PaymentProviderError);
    expect(await provider.refund(payment, refund)).toEqual({ state: 'done', providerNo: 'R-2' });
    expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'done', providerNo: 'R-2' });
    expect(vendor.orders.get(order.tradeNo)?.refunds).toHaveLength(1);
    await expect(provider.refund(payment, { refundNo: 'R-3', amount: 1200, reason: '' })).rejects.toThrow(
      '退款金额超限',
    );
  });

  it('reports the least amount that went back by a refusal, and everything for a closed trade', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', paymentNo(order));
    const refund = { refundNo: 'R-4', amount: 1000, reason: '' };
    expect(await provider.listReportedRefunds(payment, refund)).toEqual({ events: [], minAmount: 0 });
    vendor.refundAtDesk(order.tradeNo, 500);
    const refusal = await provider.refund(payment, refund).catch((error: unknown) => error);
    if (!(refusal instanceof PaymentProviderError)) throw refusal;
    expect(await provider.listReportedRefunds(payment, refund, refusal)).toEqual({ events: [], minAmount: 235 });
    const other = new PaymentProviderError('The seller has not enough money');
    expect(await provider.listReportedRefunds(payment, refund, other)).toEqual({ events: [], minAmount: 0 });
    vendor.refundAtDesk(order.tradeNo, 734);
    expect(await provider.listReportedRefunds(payment, refund, other)).toEqual({ events: [], minAmount: 1234 });
  });
});

describe('the official SDK', () => {
  it('verifies what we sign, and signs the same as we do', async () => {
    const address = await pageOf(scene.newOrder());
    const appKey = readPublicKey(privatePublic()) ?? '';
    expect(appKey).not.toBe('');
    const asAlipay = new AlipaySdk({ appId, privateKey, alipayPublicKey: privatePublic(), keyType: 'PKCS8' });
    const ours = Object.fromEntries(address.searchParams);
    expect(asAlipay.checkNotifySignV2(ours)).toBe(true);
    expect(asAlipay.checkNotifySignV2({ ...ours, notify_url: 'https://elsewhere.example/' })).toBe(false);

    const bizContent = { out_trade_no: 'T-1', total_amount: '1.00', subject: '额度 "x" & y=1' };
    const sdkUrl = new URL(sdk.pageExecute('alipay.trade.page.pay', 'GET', { bizContent }));
    const { sign, ...params } = Object.fromEntries(sdkUrl.searchParams);
    const key = readPrivateKey(privateKey);
    expect(key && signParams(params, key)['sign']).toBe(sign);
  });

  it('verifies webhook events as we do', async () => {
    const order = await paidOrder();
    const key = readPublicKey(alipayPublicKey);
    if (key === undefined) throw new Error('There is no key');
    const [webhook] = vendor.buildWebhooks(order.tradeNo);
    const params = Object.fromEntries(new URLSearchParams(String(webhook?.body)));
    for (const change of [{}, { subject: 'other' }, { sign: 'AAAA' }, { extra: '1' }, { extra: '' }]) {
      const changed = { ...params, ...change };
      expect(isSignedWebhook(new Map(Object.entries(changed)), key)).toBe(sdk.checkNotifySignV2(changed));
    }
  });

  it('accepts the simulated Alipay’s responses and their signatures', async () => {
    const order = await paidOrder();
    const bizContent = { out_trade_no: order.tradeNo };
    const answer = await sdk.exec('alipay.trade.query', { bizContent }, { validateSign: true });
    expect(answer).toMatchObject({ code: '10000', tradeStatus: 'TRADE_SUCCESS', totalAmount: '12.34' });
  });
});

describe('a configuration', () => {
  it('accepts keys as PEM or as the base64 that Alipay gives out', async () => {
    const keys = generateRsaKeys();
    const bare = (pem: string) => pem.replace(/-----.*-----|\s/g, '');
    const pkcs1 = keys.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    for (const text of [keys.privatePem, pkcs1, bare(keys.privatePem), bare(pkcs1)])
      expect(readPrivateKey(text)?.equals(keys.privateKey)).toBe(true);
    const publicPkcs1 = keys.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    for (const text of [keys.publicPem, publicPkcs1, bare(keys.publicPem), bare(publicPkcs1)])
      expect(readPublicKey(text)?.equals(keys.publicKey)).toBe(true);
  });

  it('refuses a configuration without keys, with wrong ones, or with its own instead of Alipay’s public key', () => {
    for (const changes of [
      { private_key: '' },
      { private_key: 'MIIB' },
      { private_key: alipayPublicKey },
      { public_key: '' },
      { public_key: 'no key' },
      { public_key: privateKey },
      { public_key: privatePublic() },
      { app_id: ' ' },
    ])
      expect(() => createProviderClient('alipay', { ...vendor.config, ...changes }, environment)).toThrow(
        InvalidConfigError,
      );
  });

  it('tests a configuration by asking for a trade that does not exist', async () => {
    await provider.test();
    const stranger = await scene.connect({ private_key: generateRsaKeys().privatePem });
    await expect(stranger.test()).rejects.toThrow('验签出错');
  });
});

it('rejects a response signed by another key', async () => {
  const order = await paidOrder();
  const deceived = await scene.connect({ public_key: generateRsaKeys().publicPem });
  const error = await deceived.pollOrder(toOpenedOrder(order, '')).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(PaymentProviderError);
});

/** The public half of the app's own key. */
function privatePublic(): string {
  const key = readPrivateKey(privateKey);
  if (key === undefined) throw new Error('There is no key');
  return createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
}
