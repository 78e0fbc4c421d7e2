/** Behaviour that all payment providers share. */
import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { afterAll, describe, expect, it } from 'vitest';
import { createPaymentScene } from '../../testing/scripted-payment-providers/payment-scene.ts';
import { startScriptedProvider } from '../../testing/scripted-payment-providers/start-scripted-provider.ts';
import { createProviderClient, PaymentProviderError, prepareProvider } from './payment-integrations.ts';
import type {
  PaidOrder,
  PaymentProviderClient,
  ProviderConfig,
  ProviderEnvironment,
  Refund,
} from './payment-provider.ts';
import { sanitizeVendorMessage } from './payment-vendor-payloads.ts';

const types = ['stripe', 'alipay', 'wxpay', 'epay'] as const;
const refund: Refund = { refundNo: 'R-1', amount: 1234, reason: 'asked for' };

for (const type of types) {
  describe(type, async () => {
    const scene = await createPaymentScene(await startScriptedProvider(type));
    afterAll(() => scene.close());
    const prepared = await prepareProvider(type, scene.vendor.config, scene.environment);
    const config = { ...scene.vendor.config, ...payTypes[type], ...prepared };
    const withFetch = (fetch: ProviderEnvironment['fetch']): PaymentProviderClient =>
      createProviderClient(type, config, { ...scene.environment, fetch });
    const secrets = secretsOf(config);

    it('reports a missing response as a failure, not as a refusal', async () => {
      const silent = withFetch(() => Promise.reject(new DOMException('The deadline has passed', 'TimeoutError')));
      for (const [name, call] of callsOf(silent, type)) {
        const error = await call().then(
          () => undefined,
          (failure: unknown) => failure,
        );
        expect(error, name).toBeInstanceOf(Error);
        expect(error, name).not.toBeInstanceOf(PaymentProviderError);
      }
    });

    it('believes no answer of another form', async () => {
      for (const body of ['<html>', 'null', '[]', '{}', '{"code":"10000"}', '{"id":"cs_test_1","status":"complete"}']) {
        const odd = withFetch(async () => new Response(body));
        for (const [name, call] of callsOf(odd, type)) {
          const result = await call().catch((failure: unknown) => failure);
          expect(result, `${name}: ${body}`).not.toMatchObject({ state: 'paid' });
          expect(result, `${name}: ${body}`).not.toMatchObject({ state: 'done' });
        }
      }
    });

    it('repeats no secret that a vendor repeats', async () => {
      const echo = withFetch(async (url, init) => {
        const request = new Request(url, init);
        const requestText = [request.url, JSON.stringify([...request.headers]), await request.text()].join(' ');
        return Response.json(refusals[type](requestText), {
          status: type === 'stripe' || type === 'wxpay' ? 400 : 200,
        });
      });
      for (const [name, call] of callsOf(echo, type)) {
        const error = await call().catch((failure: unknown) => failure);
        expect(error, name).toBeInstanceOf(Error);
        for (const secret of secrets) expect(String(error), name).not.toContain(secret);
      }
    });
  });
}

it('opens no order in a currency that the vendor would take for its own, and none of no amount', async () => {
  const scene = await createPaymentScene(await startScriptedProvider('epay'));
  const { provider } = scene;
  for (const changes of [{ currency: 'USD' as const }, { amount: 0 }, { amount: -5 }, { amount: 1.5 }])
    await expect(provider.openOrder(scene.newOrder(changes))).rejects.toThrow(PaymentProviderError);
  await scene.close();
});

it('shows a vendor’s message as one short line', () => {
  expect(sanitizeVendorMessage(`a\n\tb\u0000${'c'.repeat(500)}`, [])).toBe(`a b ${'c'.repeat(196)}`);
  expect(sanitizeVendorMessage('key a+b/c and a%2Bb%2Fc', ['a+b/c', ''])).toBe('key *** and ***');
});

it('redacts a long repetitive secret in a vendor’s message in linear time', () => {
  const readCpuMs = startCpuTimer();
  sanitizeVendorMessage('a'.repeat(1_000_000), [`${'a'.repeat(1_000)}b${'a'.repeat(1_000)}`]);
  expect(readCpuMs()).toBeLessThan(50);
});

/** By which opening an order asks the vendor. */
const payTypes: Readonly<Record<(typeof types)[number], ProviderConfig>> = {
  stripe: {},
  alipay: { pay_type: 'facepay' },
  wxpay: {},
  epay: {},
};

const refusals: Readonly<Record<(typeof types)[number], (said: string) => object>> = {
  stripe: (message) => ({ error: { type: 'invalid_request_error', message } }),
  alipay: (said) => ({ error_response: { code: '40002', msg: 'Invalid', sub_code: 'isv.x', sub_msg: said } }),
  wxpay: (message) => ({ code: 'PARAM_ERROR', message }),
  epay: (msg) => ({ code: -1, msg }),
};

function callsOf(provider: PaymentProviderClient, type: PaymentProviderType): [string, () => Promise<unknown>][] {
  const currency = type === 'stripe' ? 'USD' : 'CNY';
  const order: PaidOrder = {
    tradeNo: 'T-1234567',
    ref: type === 'stripe' ? 'cs_test_1' : '',
    amount: 1234,
    currency,
    providerNo: 'pi_1',
  };
  const toPay = {
    ...order,
    description: 'quota',
    expiresAt: 4_000_000_000,
    returnUrl: 'https://gate.example/',
    address: '203.0.113.7',
    phone: false,
  };
  const calls: [string, () => Promise<unknown>][] = [
    ['ask', () => provider.pollOrder(order)],
    ['refund', () => provider.refund(order, refund)],
    ['askRefund', () => provider.pollRefund(order, refund)],
    ['sentBack', () => provider.listReportedRefunds(order, refund)],
    ['test', () => provider.test()],
  ];
  // Epay's form is made here, and it cannot close.
  if (type === 'epay') return calls;
  return [...calls, ['open', () => provider.openOrder(toPay)], ['close', () => provider.closeOrder(order)]];
}

function secretsOf(config: ProviderConfig): string[] {
  return ['secret_key', 'webhook_secret', 'key', 'mch_apiv3_key', 'private_key', 'mch_private_key']
    .map((name) => config[name] ?? '')
    .filter((secret) => secret !== '');
}
