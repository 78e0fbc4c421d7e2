import { expect, it } from 'vitest';
import { createOutbound } from '../../../platform/outbound/outbound.ts';
import { createTestClock } from '../../../testing/test-clock.ts';
import {
  createProviderClient,
  InvalidConfigError,
  InvalidWebhookError,
  PaymentProviderError,
} from '../payment-integrations.ts';

const environment = {
  fetch: createOutbound([]).fetch,
  clock: createTestClock(undefined),
  sandbox: false,
  notifyUrl: '',
};
const provider = createProviderClient(
  'manual',
  { instructions: 'Pay {amount} and write {trade_no}, again: {trade_no}' },
  environment,
);
const order = {
  tradeNo: 'T$&1',
  description: 'quota',
  amount: 1230,
  currency: 'EUR' as const,
  expiresAt: 2_000_000_000,
  returnUrl: '',
  address: '203.0.113.7',
  phone: false,
};
const payment = { tradeNo: 'T1', ref: '', amount: 1230, currency: 'EUR' as const, providerNo: '' };

it('shows the buyer the amount and the payment reference', async () => {
  expect(await provider.openOrder(order)).toEqual({
    ref: '',
    paymentMethod: { kind: 'instructions', text: 'Pay 12.30 EUR and write T$&1, again: T$&1' },
  });
});

it('waits for staff, and accepts no webhook event', async () => {
  expect(await provider.pollOrder(payment)).toEqual({ state: 'pending' });
  const webhook = { method: 'POST', headers: {}, query: new URLSearchParams(), body: Buffer.from('{}'), address: '' };
  await expect(provider.readWebhook(webhook)).rejects.toThrow(InvalidWebhookError);
  expect(provider.respondToWebhook(false).status).toBe(404);
});

it('sends no money back', async () => {
  const refund = { refundNo: 'R1', amount: 1, reason: '' };
  await expect(provider.refund(payment, refund)).rejects.toThrow(PaymentProviderError);
  expect(await provider.pollRefund(payment, refund)).toEqual({ state: 'unknown' });
  expect(await provider.listReportedRefunds(payment, refund)).toEqual({ events: [], minAmount: 0 });
});

it('needs instructions', () => {
  expect(() => createProviderClient('manual', { instructions: '  ' }, environment)).toThrow(InvalidConfigError);
});
