import { paymentProviderTypeInfo, paymentProviderTypes } from '@switchyard/contract/billing/payment-provider-types';
import { expect, it } from 'vitest';
import { configChoiceKey, configFieldKey } from './config-translation-keys.ts';

it.each(paymentProviderTypes)('has translations for every field and choice of %s', (type) => {
  const { fields } = paymentProviderTypeInfo[type];
  expect(fields.filter(({ name }) => configFieldKey(name) === undefined)).toEqual([]);
  const options = fields.flatMap((field) => field.options ?? []);
  expect(options.filter((option) => configChoiceKey(type, option) === undefined)).toEqual([]);
});
