import { paymentProvider } from '@switchyard/contract/billing/payment-providers';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { formValues, newValues, requestBody, valuesSchema } from './payment-provider-values.ts';
import { wirePaymentProvider } from './payment-providers.samples.ts';

const stored = paymentProvider.parse(wirePaymentProvider(1));
const problems = (values: ReturnType<typeof newValues>, secrets = {}) =>
  z.safeEncode(valuesSchema(values.type, secrets), values).error?.issues.map(({ path }) => path.join('.')) ??
  [];

it('holds no secret that is stored, and sends none that was not typed', () => {
  const values = formValues(stored);
  expect(JSON.stringify(values)).not.toContain('9f3c');
  expect(values.config['private_key']).toBe('');
  expect(requestBody(values).config).toEqual({ app_id: '2021', public_key: 'PUBLIC', pay_type: 'facepay' });
  const typed = { ...values, config: { ...values.config, private_key: 'NEW' } };
  expect(requestBody(typed).config['private_key']).toBe('NEW');
});

it('asks for what the type needs, but not again for secrets that are set', () => {
  expect(problems({ ...newValues('alipay'), name: 'A' })).toEqual([
    'config.app_id',
    'config.private_key',
    'config.public_key',
  ]);
  expect(problems(formValues(stored), stored.secrets)).toEqual([]);
  expect(problems(formValues(stored))).toEqual(['config.private_key']);
});

it('refuses an address that is none of the web', () => {
  const epay = newValues('epay');
  const config = { ...epay.config, pay_domain: 'javascript:alert(1)', partner_id: '1', key: 'k' };
  expect(problems({ ...epay, name: 'E', config })).toEqual(['config.pay_domain']);
  expect(problems({ ...epay, name: 'E', config: { ...config, pay_domain: 'https://e.example' } })).toEqual(
    [],
  );
});

it('asks for the rate of a currency that the settings know none of', () => {
  const manual = { ...newValues('manual'), name: 'Bank', config: { instructions: 'IBAN' } };
  expect(problems({ ...manual, currency: 'EUR' })).toEqual(['exchange_rate']);
  expect(problems({ ...manual, currency: 'EUR', exchange_rate: 920_000 })).toEqual([]);
  expect(problems({ ...manual, currency: 'CNY' })).toEqual([]);
});

it('keeps what is on and off as text', () => {
  const epay = paymentProvider.parse(
    wirePaymentProvider(2, { type: 'epay', config: { confirm_by_query: 'true' }, secrets: {} }),
  );
  expect(formValues(epay).flags).toEqual({ confirm_by_query: true });
  expect(
    requestBody({ ...formValues(epay), flags: { confirm_by_query: false } }).config['confirm_by_query'],
  ).toBe('false');
});
