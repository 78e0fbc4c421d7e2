import { paymentProvider } from '@switchyard/contract/billing/payment-providers';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { formValues, newValues, requestBody, valuesSchema } from './payment-provider-form-values.ts';
import { wirePaymentProvider } from './payment-providers.samples.ts';

const stored = paymentProvider.parse(wirePaymentProvider(1));
const problems = (values: ReturnType<typeof newValues>, secrets = {}) =>
  z.safeEncode(valuesSchema(values.type, secrets), values).error?.issues.map(({ path }) => path.join('.')) ?? [];

it('contains no stored secret and sends only entered ones', () => {
  const values = formValues(stored);
  expect(JSON.stringify(values)).not.toContain('9f3c');
  expect(values.config['private_key']).toBe('');
  expect(requestBody(values).config).toEqual({ app_id: '2021', public_key: 'PUBLIC', pay_type: 'facepay' });
  const typed = { ...values, config: { ...values.config, private_key: 'NEW' } };
  expect(requestBody(typed).config['private_key']).toBe('NEW');
});

it('requires the fields of the type, but no secret that is already stored', () => {
  expect(problems({ ...newValues('alipay'), name: 'A' })).toEqual([
    'config.app_id',
    'config.private_key',
    'config.public_key',
  ]);
  expect(problems(formValues(stored), stored.secrets)).toEqual([]);
  expect(problems(formValues(stored))).toEqual(['config.private_key']);
});

it('rejects a URL that is not http or https', () => {
  const epay = newValues('epay');
  const config = { ...epay.config, pay_domain: 'javascript:alert(1)', partner_id: '1', key: 'k' };
  expect(problems({ ...epay, name: 'E', config })).toEqual(['config.pay_domain']);
  expect(problems({ ...epay, name: 'E', config: { ...config, pay_domain: 'https://e.example' } })).toEqual([]);
});

it('requires an exchange rate for a currency without one in the settings', () => {
  const manual = { ...newValues('manual'), name: 'Bank', config: { instructions: 'IBAN' } };
  expect(problems({ ...manual, currency: 'EUR' })).toEqual(['exchange_rate']);
  expect(problems({ ...manual, currency: 'EUR', exchange_rate: 920_000 })).toEqual([]);
  expect(problems({ ...manual, currency: 'CNY' })).toEqual([]);
});

it('converts boolean fields to text', () => {
  const epay = paymentProvider.parse(
    wirePaymentProvider(2, { type: 'epay', config: { confirm_by_query: 'true' }, secrets: {} }),
  );
  expect(formValues(epay).flags).toEqual({ confirm_by_query: true });
  expect(requestBody({ ...formValues(epay), flags: { confirm_by_query: false } }).config['confirm_by_query']).toBe(
    'false',
  );
});
