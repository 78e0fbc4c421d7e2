import { createHmac } from 'node:crypto';
import { Stripe } from 'stripe';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createPaymentScene,
  toOpenedOrder,
  toPaidOrder,
} from '../../../../testing/scripted-payment-providers/payment-scene.ts';
import {
  toWebhookRequest,
  type WebhookFields,
} from '../../../../testing/scripted-payment-providers/scripted-provider.ts';
import { startScriptedStripe } from '../../../../testing/scripted-payment-providers/scripted-stripe.ts';
import { createProviderClient, prepareProvider } from '../../payment-integrations.ts';
import {
  InvalidConfigError,
  InvalidWebhookError,
  type NewProviderOrder,
  type OpenResult,
  type PaymentProviderClient,
  PaymentProviderError,
  type WebhookEvent,
} from '../../payment-provider.ts';

const scene = await createPaymentScene(await startScriptedStripe());
const { vendor, provider, environment, clock } = scene;
afterAll(() => scene.close());
const alipay = await scene.connect({ pay_type: 'alipay' });
const wechat = await scene.connect({ pay_type: 'wechat_pay' });

const paymentNo = ({ tradeNo }: NewProviderOrder): string => vendor.orders.get(tradeNo)?.paymentNo ?? '';

async function openedOrder(by: PaymentProviderClient, changes: Partial<NewProviderOrder> = {}) {
  const order = scene.newOrder(changes);
  return { order, ...(await by.openOrder(order)) };
}

async function paidOrder(by = provider): Promise<{ order: NewProviderOrder } & OpenResult> {
  const opened = await openedOrder(by);
  vendor.pay(opened.order.tradeNo);
  return opened;
}

const eventsOf = async (
  tradeNo: string,
  kind: Parameters<typeof vendor.buildWebhooks>[1] = 'paid',
): Promise<(WebhookEvent | undefined)[]> =>
  Promise.all(vendor.buildWebhooks(tradeNo, kind).map((webhook) => provider.readWebhook(toWebhookRequest(webhook))));

describe('an order', () => {
  it('opens an order as a checkout page with the amount of the order', async () => {
    const { order, ref, paymentMethod } = await openedOrder(provider, { amount: 105 });
    expect(paymentMethod).toMatchObject({ kind: 'page', method: 'GET' });
    expect(vendor.orders.get(order.tradeNo)).toMatchObject({
      amount: 105,
      currency: 'usd',
      returnUrl: order.returnUrl,
    });
    expect(await provider.pollOrder(toOpenedOrder(order, ref))).toEqual({ state: 'pending' });
  });

  it('charges whole yen, which have no smaller coin', async () => {
    const { order } = await openedOrder(provider, { amount: 500, currency: 'JPY' });
    vendor.pay(order.tradeNo);
    expect(await eventsOf(order.tradeNo)).toMatchObject([{ amount: 500, currency: 'JPY' }, { amount: 500 }]);
  });

  it('opens an order that ends sooner than Stripe allows, and returns the same page when opened again', async () => {
    const order = scene.newOrder({ expiresAt: Math.floor(clock.now() / 1000) + 60 });
    await provider.openOrder(order);
    const { order: long, ...first } = await openedOrder(provider, { expiresAt: 4_000_000_000 });
    expect(first.paymentMethod.kind).toBe('page');
    expect(long.expiresAt).toBe(4_000_000_000);
    const usual = scene.newOrder();
    vendor.loseResponses(1);
    // The SDK asks a second time, and Stripe knows the idempotency key.
    expect(await provider.openOrder(usual)).toEqual(await provider.openOrder(usual));
  });

  it('opens an order as an Alipay page or a WeChat code, without Stripe’s scripts in the browser', async () => {
    expect((await openedOrder(alipay, { currency: 'CNY' })).paymentMethod.kind).toBe('page');
    expect((await openedOrder(wechat, { currency: 'CNY' })).paymentMethod).toEqual({
      kind: 'qr',
      url: expect.stringMatching(/^weixin:/),
    });
  });

  it('queries an order in every state, regardless of later changes of the configuration', async () => {
    for (const by of [provider, alipay]) {
      const { order, ref } = await paidOrder(by);
      expect(await wechat.pollOrder(toOpenedOrder(order, ref))).toEqual({
        state: 'paid',
        providerNo: paymentNo(order),
        amount: 1234,
        currency: 'USD',
      });
    }
    // A page of Stripe, too, can take a payment whose money does not come in the end.
    for (const by of [provider, alipay]) {
      const { order, ref } = await openedOrder(by);
      vendor.fail(order.tradeNo);
      const state = { state: 'failed', reason: 'The customer declined.' };
      expect(await provider.pollOrder(toOpenedOrder(order, ref))).toEqual(state);
    }
    const failed = await openedOrder(alipay);
    expect(await provider.pollOrder(toOpenedOrder(failed.order, ''))).toEqual({ state: 'unknown' });
  });

  it('prevents payment of a closed order, and changes nothing when closing a paid one', async () => {
    for (const by of [provider, alipay]) {
      const { order, ref } = await openedOrder(by);
      await provider.closeOrder(toOpenedOrder(order, ref));
      await provider.closeOrder(toOpenedOrder(order, ref));
      expect(await provider.pollOrder(toOpenedOrder(order, ref))).toEqual({ state: 'closed' });
      expect(() => vendor.pay(order.tradeNo)).toThrow('closed');
      const done = await paidOrder(by);
      await provider.closeOrder(toOpenedOrder(done.order, done.ref));
      expect(await provider.pollOrder(toOpenedOrder(done.order, done.ref))).toMatchObject({ state: 'paid' });
    }
  });
});

describe('a webhook event', () => {
  it('reads a payment the same from the session and from the payment intent', async () => {
    const { order } = await paidOrder();
    const event = { what: 'paid', tradeNo: order.tradeNo, providerNo: paymentNo(order), amount: 1234, currency: 'USD' };
    expect(await eventsOf(order.tradeNo)).toEqual([event, event]);
  });

  it('ignores the webhook event that the buyer completed the page without a payment', async () => {
    const { order } = await openedOrder(provider);
    expect(await eventsOf(order.tradeNo)).toEqual([undefined, undefined]);
  });

  it('reports failed and expired orders', async () => {
    const { order } = await openedOrder(alipay);
    vendor.fail(order.tradeNo);
    expect(await eventsOf(order.tradeNo, 'failed')).toEqual([
      { what: 'failed', tradeNo: order.tradeNo, reason: 'The customer declined.' },
    ]);
    const late = await openedOrder(provider);
    vendor.fail(late.order.tradeNo);
    expect(await eventsOf(late.order.tradeNo, 'failed')).toMatchObject([{ what: 'failed' }]);
    expect(await eventsOf(late.order.tradeNo, 'closed')).toMatchObject([{ what: 'closed' }]);
  });

  it('ignores a declined card on the checkout page, where the buyer can try again', async () => {
    const { order } = await paidOrder();
    const declined = vendor.forgeWebhook(order.tradeNo, (event) => ({
      ...event,
      type: 'payment_intent.payment_failed',
      data: {
        object: {
          id: 'pi_1',
          status: 'requires_payment_method',
          amount_received: 0,
          currency: 'usd',
          metadata: { trade_no: order.tradeNo, pay_type: 'checkout' },
        },
      },
    }));
    expect(await provider.readWebhook(toWebhookRequest(declined))).toBeUndefined();
  });

  it('reports refunds, those made at Stripe too, and disputes', async () => {
    const { order, ref } = await paidOrder();
    const payment = toPaidOrder(order, ref, paymentNo(order));
    await provider.refund(payment, { refundNo: 'R-1', amount: 200, reason: '' });
    vendor.refundAtDesk(order.tradeNo, 34);
    const tradeNo = order.tradeNo;
    expect(await eventsOf(tradeNo, 'refunded')).toMatchObject([
      { what: 'refunded', tradeNo, refundNo: 'R-1', amount: 200 },
      { what: 'refunded', tradeNo, refundNo: '', amount: 34 },
    ]);
    for (const [status, what] of [
      ['open', 'disputed'],
      ['won', 'dispute-won'],
      ['lost', 'dispute-lost'],
    ] as const) {
      vendor.dispute(tradeNo, 1000);
      const [dispute = expect.fail('no dispute')] = vendor.orders.get(tradeNo)?.disputes.splice(0) ?? [];
      vendor.orders.get(tradeNo)?.disputes.push({ ...dispute, status });
      const { disputeNo } = dispute;
      expect(await eventsOf(tradeNo, what)).toEqual([
        { what, tradeNo, disputeNo, amount: 1000, currency: 'USD', paymentNo: paymentNo(order) },
      ]);
    }
  });

  it('reports a refund that fails after it has succeeded', async () => {
    const { order, ref } = await paidOrder();
    const { tradeNo } = order;
    const wanted = { refundNo: 'R-bounced', amount: 200, reason: '' };
    await provider.refund(toPaidOrder(order, ref, paymentNo(order)), wanted);
    const [refund = expect.fail('no refund')] = vendor.orders.get(tradeNo)?.refunds ?? [];
    refund.status = 'failed';
    const { refundNo, providerNo: providerRefundNo, amount } = refund;
    const reason = 'lost_or_stolen_card';
    const facts = { tradeNo, refundNo, providerRefundNo, amount, currency: 'USD', paymentNo: paymentNo(order) };
    const failed = { what: 'refund-failed', ...facts, reason };
    // `refund.updated` and `refund.failed`.
    expect(await eventsOf(tradeNo, 'refunded')).toEqual([failed, failed]);
    refund.status = 'pending';
    expect(await eventsOf(tradeNo, 'refunded')).toEqual([undefined]);
  });

  it('ignores an inquiry, which withdraws no money', async () => {
    const { order } = await paidOrder();
    const dispute = {
      id: 'dp_1',
      amount: 5,
      currency: 'usd',
      status: 'warning_needs_response',
      payment_intent: 'pi_1',
    };
    const inquiry = vendor.forgeWebhook(order.tradeNo, (event) => ({
      ...event,
      type: 'charge.dispute.created',
      data: { object: dispute },
    }));
    expect(await provider.readWebhook(toWebhookRequest(inquiry))).toBeUndefined();
  });

  it.each([
    ['no money moved', [], undefined],
    ['the money was withdrawn', [-5], 'dispute-lost'],
    ['the money came back', [-5, 5], 'dispute-won'],
  ])('reads a prevented dispute by its balance transactions: %s', async (_how, amounts, what) => {
    const { order } = await paidOrder();
    const dispute = {
      id: 'dp_prevented',
      amount: 5,
      currency: 'usd',
      status: 'prevented',
      payment_intent: paymentNo(order),
      balance_transactions: amounts.map((amount) => ({ amount })),
    };
    for (const step of ['created', 'closed', ...(what === undefined ? [] : ['funds_withdrawn'])]) {
      const webhook = vendor.forgeWebhook(order.tradeNo, (sent) => ({
        ...sent,
        type: `charge.dispute.${step}`,
        data: { object: dispute },
      }));
      const read = await provider.readWebhook(toWebhookRequest(webhook));
      const { tradeNo } = order;
      expect(read, step).toEqual(
        what && { what, tradeNo, disputeNo: 'dp_prevented', amount: 5, currency: 'USD', paymentNo: paymentNo(order) },
      );
    }
  });

  it('ignores a webhook event about another object, or another site’s with the same account', async () => {
    const { order } = await paidOrder();
    const changed = (changes: WebhookFields) =>
      provider.readWebhook(toWebhookRequest(vendor.forgeWebhook(order.tradeNo, (event) => ({ ...event, ...changes }))));
    expect(await changed({ type: 'customer.created' })).toBeUndefined();
    const session = { ...sessionOf(order), metadata: {}, client_reference_id: null };
    expect(await changed({ data: { object: session } })).toBeUndefined();
  });

  it('refuses a webhook event of the other mode, with two orders, or paid without an amount', async () => {
    const { order } = await paidOrder();
    const changes: WebhookFields[] = [
      { livemode: true },
      { livemode: undefined },
      { object: 'balance' },
      { data: { object: { ...sessionOf(order), client_reference_id: 'another' } } },
      { data: { object: { ...sessionOf(order), payment_intent: null } } },
      { data: { object: { ...sessionOf(order), amount_total: 12.5 } } },
      { data: null },
    ];
    for (const change of changes) {
      const forged = vendor.forgeWebhook(order.tradeNo, (event) => ({ ...event, ...change }));
      await expect(provider.readWebhook(toWebhookRequest(forged))).rejects.toThrow(InvalidWebhookError);
    }
  });

  it('refuses a webhook event five minutes after it was signed, or with another endpoint’s signature', async () => {
    const { order } = await paidOrder();
    const [webhook] = vendor.buildWebhooks(order.tradeNo);
    const forged = vendor.forgeWebhook(order.tradeNo, (event) => event, 'other');
    await expect(provider.readWebhook(toWebhookRequest(forged))).rejects.toThrow(InvalidWebhookError);
    clock.advance(301);
    try {
      await expect(provider.readWebhook(toWebhookRequest(webhook ?? forged))).rejects.toThrow(InvalidWebhookError);
    } finally {
      clock.advance(-301);
    }
    expect(await provider.readWebhook(toWebhookRequest(webhook ?? forged))).toMatchObject({ what: 'paid' });
  });

  it('accepts a documented signature, and the SDK accepts what we accept', async () => {
    const { order } = await paidOrder();
    const secret = 'whsec_known';
    const known = createProviderClient('stripe', { ...vendor.config, webhook_secret: secret }, environment);
    const body = String(vendor.buildWebhooks(order.tradeNo)[0]?.body);
    const timestamp = Math.floor(clock.now() / 1000);
    const v1 = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    const header = `t=${timestamp},v1=${v1}`;
    const webhook = {
      method: 'POST',
      headers: { 'stripe-signature': header },
      query: new URLSearchParams(),
      body: Buffer.from(body),
      address: '',
    };
    expect(await known.readWebhook(webhook)).toMatchObject({ what: 'paid', tradeNo: order.tradeNo });
    expect(Stripe.webhooks.constructEvent(body, header, secret).type).toBe('checkout.session.completed');
  });

  it('responds to a webhook event with a status', () => {
    expect([provider.respondToWebhook(true).status, provider.respondToWebhook(false).status]).toEqual([200, 400]);
  });
});

describe('a refund', () => {
  it('makes a partial refund once per number even when the response or the idempotency key gets lost', async () => {
    const { order, ref } = await paidOrder();
    const payment = toPaidOrder(order, ref, paymentNo(order));
    const refund = { refundNo: 'R-part', amount: 100, reason: 'asked for' };
    expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'unknown' });
    const done = await provider.refund(payment, refund);
    expect(done).toEqual({ state: 'done', providerNo: expect.any(String) });
    expect(await provider.refund(payment, refund)).toEqual(done);
    expect(await provider.pollRefund(payment, refund)).toEqual(done);
    expect(vendor.orders.get(order.tradeNo)?.refunds).toHaveLength(1);
    await expect(provider.refund(payment, { refundNo: 'R-much', amount: 1200, reason: '' })).rejects.toThrow(
      PaymentProviderError,
    );
  });
});

describe('money that went back besides a refund', () => {
  it('lists the refunds that succeeded and the disputes, without inquiries', async () => {
    const { order, ref } = await paidOrder();
    const payment = toPaidOrder(order, ref, paymentNo(order));
    const failed = { refundNo: 'R-failed', amount: 1234, reason: '' };
    expect(await provider.listReportedRefunds(payment, failed)).toEqual({ events: [], minAmount: 0 });
    const { tradeNo } = order;
    vendor.refundAtDesk(tradeNo, 34);
    vendor.delayRefunds(true);
    vendor.refundAtDesk(tradeNo, 100);
    vendor.delayRefunds(false);
    vendor.dispute(tradeNo, 500);
    const [refund] = vendor.orders.get(tradeNo)?.refunds ?? [];
    const [dispute] = vendor.orders.get(tradeNo)?.disputes ?? [];
    expect((await provider.listReportedRefunds(payment, failed)).events).toEqual([
      {
        what: 'refunded',
        tradeNo,
        refundNo: '',
        providerRefundNo: refund?.providerNo,
        amount: 34,
        currency: 'USD',
        paymentNo: paymentNo(order),
      },
      {
        what: 'disputed',
        tradeNo,
        disputeNo: dispute?.disputeNo,
        amount: 500,
        currency: 'USD',
        paymentNo: paymentNo(order),
      },
    ]);
  });
});

describe('a configuration', () => {
  it('refuses a configuration without secrets or with keys of the other mode', () => {
    const good = { ...vendor.config, webhook_secret: 'whsec_x' };
    for (const changes of [
      { secret_key: '' },
      { webhook_secret: ' ' },
      { secret_key: 'pk_test_public' },
      { secret_key: 'sk_live_real' },
      { pay_type: 'cash' },
    ])
      expect(() => createProviderClient('stripe', { ...good, ...changes }, environment)).toThrow(InvalidConfigError);
    expect(() => createProviderClient('stripe', good, { ...environment, sandbox: false })).toThrow(InvalidConfigError);
  });

  it('creates a missing webhook secret, and deletes endpoints whose secrets are lost', async () => {
    const prepared = await prepareProvider('stripe', vendor.config, environment);
    expect(prepared).toEqual({ webhook_secret: expect.stringMatching(/^whsec_/) });
    expect(vendor.asked).toContain('DELETE /v1/webhook_endpoints/we_00000000000001');
    expect(await prepareProvider('stripe', { ...vendor.config, ...prepared }, environment)).toEqual({});
    await expect(
      prepareProvider('stripe', { ...vendor.config, secret_key: 'sk_live_real' }, environment),
    ).rejects.toThrow(InvalidConfigError);
    await expect(prepareProvider('stripe', vendor.config, { ...environment, notifyUrl: '' })).rejects.toThrow(
      InvalidConfigError,
    );
  });

  it('tests a configuration by asking for the balance, and keeps the key out of errors', async () => {
    await provider.test();
    const key = 'sk_test_wrong0123456789';
    const wrong = createProviderClient(
      'stripe',
      { ...vendor.config, webhook_secret: 'x', secret_key: key },
      environment,
    );
    const refusal = await wrong.test().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(PaymentProviderError);
    expect(String(refusal)).not.toContain(key);
  });
});

it('reports a missing response as a failure, not as a refusal', async () => {
  const { order, ref } = await paidOrder();
  vendor.loseResponses(2);
  const error = await provider.pollOrder(toOpenedOrder(order, ref)).catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(PaymentProviderError);
});

function sessionOf(order: NewProviderOrder): WebhookFields {
  let session: WebhookFields = {};
  vendor.forgeWebhook(order.tradeNo, (event) => {
    const { object } = event['data'] as { object: WebhookFields };
    session = object;
    return event;
  });
  return session;
}
