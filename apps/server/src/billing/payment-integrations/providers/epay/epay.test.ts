import { afterAll, describe, expect, it } from 'vitest';
import {
  createPaymentScene,
  toOpenedOrder,
  toPaidOrder,
} from '../../../../testing/scripted-payment-providers/payment-scene.ts';
import { startScriptedEpay } from '../../../../testing/scripted-payment-providers/scripted-epay.ts';
import { toWebhookRequest } from '../../../../testing/scripted-payment-providers/scripted-provider.ts';
import { createProviderClient } from '../../payment-integrations.ts';
import {
  InvalidConfigError,
  InvalidWebhookError,
  type NewProviderOrder,
  PaymentProviderError,
} from '../../payment-provider.ts';
import { signEpayParams } from './epay.ts';

const scene = await createPaymentScene(await startScriptedEpay());
const { vendor, provider, environment } = scene;
afterAll(() => scene.close());

/** The buyer opens the gateway's page. */
async function opensPage(order: NewProviderOrder): Promise<string> {
  const { paymentMethod } = await provider.openOrder(order);
  if (paymentMethod.kind !== 'page') throw new Error('There is no page');
  const answer = await fetch(paymentMethod.url, {
    method: paymentMethod.method,
    body: new URLSearchParams(paymentMethod.params),
  });
  return `${answer.status} ${await answer.text()}`;
}

async function paidOrder(changes: Partial<NewProviderOrder> = {}): Promise<NewProviderOrder> {
  const order = scene.newOrder(changes);
  await opensPage(order);
  vendor.pay(order.tradeNo);
  return order;
}

/** Returns every list of names and values that is joined to the same text as these pieces with `&` between them. */
function splitPieces(pieces: readonly string[]): [string, string][][] {
  if (pieces.length === 0) return [[]];
  return pieces.flatMap((_piece, last) => {
    const text = pieces.slice(0, last + 1).join('&');
    const equals = [...text.matchAll(/=/g)].map(({ index }) => index);
    const rest = splitPieces(pieces.slice(last + 1));
    return equals.flatMap((at) =>
      rest.map((others): [string, string][] => [[text.slice(0, at), text.slice(at + 1)], ...others]),
    );
  });
}

const genuineWebhook = (order: NewProviderOrder) =>
  toWebhookRequest(vendor.buildWebhooks(order.tradeNo)[0] ?? vendor.forgeWebhook(order.tradeNo, (fields) => fields));

describe('an order', () => {
  it('opens an order with a form that the gateway accepts', async () => {
    const order = scene.newOrder({ description: 'a=b&money=9', amount: 105 });
    expect(await opensPage(order)).toContain('200 ');
    expect(vendor.orders.get(order.tradeNo)).toMatchObject({
      amount: 105,
      notifyUrl: environment.notifyUrl,
      returnUrl: order.returnUrl,
    });
  });

  it('leaves the kind of payment to the cashier when none is configured', async () => {
    const cashier = await scene.connect({ pay_type: '' });
    const { paymentMethod } = await cashier.openOrder(scene.newOrder());
    expect(paymentMethod.kind === 'page' && Object.keys(paymentMethod.params)).not.toContain('type');
  });

  it('reports an order as unknown until the buyer opens the page, then pending, then paid', async () => {
    const order = scene.newOrder();
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ state: 'unknown' });
    await opensPage(order);
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({ state: 'pending' });
    vendor.pay(order.tradeNo);
    const providerNo = vendor.orders.get(order.tradeNo)?.paymentNo;
    expect(await provider.pollOrder(toOpenedOrder(order, ''))).toEqual({
      state: 'paid',
      providerNo,
      amount: 1234,
      currency: 'CNY',
    });
  });
});

describe('a webhook event', () => {
  it('reads the webhook event of a payment from a GET and from a POST', async () => {
    const order = await paidOrder();
    const event = {
      what: 'paid',
      tradeNo: order.tradeNo,
      providerNo: vendor.orders.get(order.tradeNo)?.paymentNo,
      amount: 1234,
      currency: 'CNY',
    };
    const webhook = genuineWebhook(order);
    expect(await provider.readWebhook(webhook)).toEqual(event);
    const posted = {
      ...webhook,
      method: 'POST',
      query: new URLSearchParams(),
      body: Buffer.from(webhook.query.toString()),
    };
    expect(await provider.readWebhook(posted)).toEqual(event);
  });

  it('ignores a webhook event about anything but a payment', async () => {
    const order = scene.newOrder();
    await opensPage(order);
    expect(await provider.readWebhook(genuineWebhook(order))).toBeUndefined();
  });

  it('refuses a webhook event for another merchant even with the same key', async () => {
    const order = await paidOrder();
    const forged = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, pid: '1002' }));
    await expect(provider.readWebhook(toWebhookRequest(forged))).rejects.toThrow(InvalidWebhookError);
  });

  it('refuses a webhook event from an address that is not configured', async () => {
    const order = await paidOrder();
    const [sent] = vendor.buildWebhooks(order.tradeNo);
    if (sent === undefined) throw new Error('There is no webhook event');
    const careful = await scene.connect({ source_addresses: '198.51.100.0/24, 203.0.113.9' });
    await expect(careful.readWebhook(toWebhookRequest(sent, '203.0.113.8'))).rejects.toThrow(InvalidWebhookError);
    for (const address of ['198.51.100.77', '203.0.113.9', '::ffff:203.0.113.9'])
      expect(await careful.readWebhook(toWebhookRequest(sent, address))).toMatchObject({ what: 'paid' });
  });

  it('refuses a webhook event of a payment unknown to the gateway when it confirms by query', async () => {
    const order = scene.newOrder();
    await opensPage(order);
    const forged = vendor.forgeWebhook(order.tradeNo, (fields) => ({ ...fields, trade_status: 'TRADE_SUCCESS' }));
    expect(await provider.readWebhook(toWebhookRequest(forged))).toMatchObject({ what: 'paid' });
    const careful = await scene.connect({ confirm_by_query: 'true' });
    await expect(careful.readWebhook(toWebhookRequest(forged))).rejects.toThrow(InvalidWebhookError);
    vendor.pay(order.tradeNo);
    expect(await careful.readWebhook(toWebhookRequest(forged))).toMatchObject({ what: 'paid' });
  });

  it('rejects a webhook event forged from the signed form that the buyer has seen', async () => {
    // Parameters are joined without being escaped, so that one value could pass for several parameters.
    const order = scene.newOrder({ returnUrl: 'http://127.0.0.1:9/back?a=1&trade_no=77&trade_status=TRADE_SUCCESS' });
    const { paymentMethod } = await provider.openOrder(order);
    if (paymentMethod.kind !== 'page') throw new Error('There is no page');
    const { return_url: _returnUrl, notify_url: notifyUrl, name, ...params } = paymentMethod.params;
    const cut = { ...params, return_url: 'http://127.0.0.1:9/back?a=1', trade_no: '77', trade_status: 'TRADE_SUCCESS' };
    const joined = { ...cut, name: `${name}&notify_url=${notifyUrl}` };
    for (const fields of [{ ...cut, name: name ?? '', notify_url: notifyUrl ?? '' }, joined]) {
      expect(signEpayParams(Object.entries(fields), vendor.config['key'] ?? '')).toBe(params['sign']);
      const query = new URLSearchParams(fields);
      const webhook = { method: 'GET', headers: {}, query, body: Buffer.alloc(0), address: '127.0.0.1' };
      await expect(provider.readWebhook(webhook)).rejects.toThrow(InvalidWebhookError);
    }
  });

  it('rejects the signed form however it is split into names and values', async () => {
    const order = scene.newOrder({ returnUrl: 'http://127.0.0.1:9/back?a=1&trade_no=77&trade_status=TRADE_SUCCESS' });
    const { paymentMethod } = await provider.openOrder(order);
    if (paymentMethod.kind !== 'page') throw new Error('There is no page');
    const { sign = '', sign_type: _type, ...params } = paymentMethod.params;
    const pieces = Object.entries(params)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join('&')
      .split('&');
    let signed = 0;
    for (const fields of splitPieces(pieces)) {
      const query = new URLSearchParams(fields);
      if (signEpayParams(query, vendor.config['key'] ?? '') !== sign) continue;
      signed += 1;
      query.set('sign', sign);
      query.set('sign_type', 'MD5');
      const webhook = { method: 'GET', headers: {}, query, body: Buffer.alloc(0), address: '127.0.0.1' };
      const result = provider.readWebhook(webhook).then(
        () => fields,
        (error: unknown) => error,
      );
      expect(await result).toBeInstanceOf(InvalidWebhookError);
    }
    expect(signed).toBeGreaterThan(100);
  });

  it('responds to a webhook event with the words that the gateway waits for', async () => {
    expect(provider.respondToWebhook(true).body).toBe('success');
    expect(provider.respondToWebhook(false).body).toBe('fail');
  });
});

describe('a refund', () => {
  it('sends the whole payment back, once', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', vendor.orders.get(order.tradeNo)?.paymentNo ?? '');
    const refund = { refundNo: 'R1', amount: 1234, reason: 'asked for' };
    expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'unknown' });
    vendor.loseResponses(1);
    await expect(provider.refund(payment, refund)).rejects.not.toThrow(PaymentProviderError);
    expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'done', providerNo: 'R1' });
    expect(await provider.refund(payment, refund)).toEqual({ state: 'done', providerNo: 'R1' });
    expect(vendor.orders.get(order.tradeNo)?.refunds).toHaveLength(1);
  });

  it('reports that everything went back once the gateway has marked the order', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', vendor.orders.get(order.tradeNo)?.paymentNo ?? '');
    const refund = { refundNo: 'R0', amount: 5, reason: '' };
    expect(await provider.listReportedRefunds(payment, refund)).toEqual({ events: [], minAmount: 0 });
    vendor.refundAtDesk(order.tradeNo, 1234);
    expect(await provider.listReportedRefunds(payment, refund)).toEqual({ events: [], minAmount: 1234 });
  });

  it('refuses a partial refund, because it could be made twice', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', vendor.orders.get(order.tradeNo)?.paymentNo ?? '');
    await expect(provider.refund(payment, { refundNo: 'R2', amount: 5, reason: '' })).rejects.toThrow(
      PaymentProviderError,
    );
    expect(vendor.orders.get(order.tradeNo)?.refunds).toHaveLength(0);
  });

  it('does not take a full refund at the desk for a partial refund of ours', async () => {
    const order = await paidOrder();
    const payment = toPaidOrder(order, '', vendor.orders.get(order.tradeNo)?.paymentNo ?? '');
    vendor.refundAtDesk(order.tradeNo, 1234);
    expect(await provider.pollRefund(payment, { refundNo: 'R4', amount: 5, reason: '' })).toEqual({ state: 'unknown' });
  });

  it('reports the provider’s reason for a refusal', async () => {
    const order = await paidOrder();
    await expect(
      provider.refund(toPaidOrder(order, '', 'wrong'), { refundNo: 'R3', amount: 1234, reason: '' }),
    ).rejects.toThrow('订单号不存在');
  });
});

describe('a configuration', () => {
  it('refuses a configuration with an empty, missing or short key', () => {
    for (const key of ['', '   ', 'fifteen-letters']) {
      expect(() => createProviderClient('epay', { ...vendor.config, key }, environment)).toThrow(InvalidConfigError);
    }
    const { key: _key, ...without } = vendor.config;
    expect(() => createProviderClient('epay', without, environment)).toThrow(InvalidConfigError);
  });

  it('refuses a configuration with invalid values or for a sandbox that does not exist', () => {
    const changed = (changes: Record<string, string>) => ({ ...vendor.config, ...changes });
    for (const changes of [
      { source_addresses: '10.0.0.300' },
      { pay_domain: 'ftp://pay.example' },
      { pay_domain: 'https://name:word@pay.example' },
      { pay_type: 'cash' },
      { confirm_by_query: 'yes' },
    ])
      expect(() => createProviderClient('epay', changed(changes), environment)).toThrow(InvalidConfigError);
    expect(() => createProviderClient('epay', vendor.config, { ...environment, sandbox: true })).toThrow(
      InvalidConfigError,
    );
  });

  it('tests a configuration by asking for the merchant, and keeps the key out of errors', async () => {
    await provider.test();
    const key = 'a-key-that-is-long-enough-but-wrong';
    const wrong = await scene.connect({ key });
    const refusal = await wrong.test().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PaymentProviderError);
    expect(String(refusal)).toContain('商户密钥错误');
    expect(String(refusal)).not.toContain(key);
    await expect(wrong.pollOrder(toOpenedOrder(scene.newOrder(), ''))).rejects.toThrow(PaymentProviderError);
  });
});

it('signs as the protocol has it: names in order, empty values and the signature left out', () => {
  // md5('a=1&b=2&money=1.00' + 'key'), as PHP's md5 has it.
  const params: [string, string][] = [
    ['money', '1.00'],
    ['b', '2'],
    ['sign', 'x'],
    ['sign_type', 'MD5'],
    ['a', '1'],
    ['empty', ''],
  ];
  expect(signEpayParams(params, 'key')).toBe('baf87102a6df52fd54a89043a85ff515');
});
