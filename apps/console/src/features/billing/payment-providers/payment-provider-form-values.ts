/** Form values of a payment provider. Secrets start empty, and an empty secret is not sent. */
import {
  isSecretField,
  type PaymentProviderType,
  paymentProviderTypeInfo,
} from '@switchyard/contract/billing/payment-provider-types';
import {
  type PaymentProvider,
  type PaymentProviderForm,
  paymentProviderForm,
} from '@switchyard/contract/billing/payment-providers';
import { type Currency, currencies, hasDefaultRate } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import { z } from 'zod';

export type PaymentProviderValues = PaymentProviderForm & {
  /** Boolean fields of the configuration. */
  flags: Record<string, boolean>;
};

/** Last characters of the stored secrets, by field. */
export type StoredSecrets = Readonly<Record<string, string>>;

export function supportedCurrencies(type: PaymentProviderType): readonly Currency[] {
  const { currencies: known } = paymentProviderTypeInfo[type];
  return known === 'any' ? currencies : known;
}

function emptyConfig(type: PaymentProviderType): Pick<PaymentProviderValues, 'config' | 'flags'> {
  const { fields } = paymentProviderTypeInfo[type];
  const texts = fields.filter(({ kind }) => kind !== 'flag');
  const flags = fields.filter(({ kind }) => kind === 'flag');
  return {
    config: Object.fromEntries(texts.map(({ name, options }) => [name, options?.[0] ?? ''])),
    flags: Object.fromEntries(flags.map(({ name }) => [name, false])),
  };
}

export function newValues(type: PaymentProviderType): PaymentProviderValues {
  return {
    type,
    name: '',
    icon: '',
    notify_domain: '',
    fixed_fee: 0,
    percent_fee: 0,
    currency: supportedCurrencies(type)[0] ?? 'USD',
    exchange_rate: 0,
    sort: 0,
    enable: true,
    sandbox: false,
    ...emptyConfig(type),
  };
}

export function formValues(processor: PaymentProvider): PaymentProviderValues {
  const { id: _id, uuid: _uuid, created_at: _made, secrets: _secrets, notify_url: _notify, ...rest } = processor;
  const empty = emptyConfig(processor.type);
  const stored = Object.entries(processor.config).filter(([name]) => Object.hasOwn(empty.config, name));
  return {
    ...rest,
    config: { ...empty.config, ...Object.fromEntries(stored) },
    flags: Object.fromEntries(Object.keys(empty.flags).map((name) => [name, processor.config[name] === 'true'])),
  };
}

/** Returns the request body without the secrets that were not entered, so that the server keeps them. */
export function requestBody({ flags, config, ...rest }: PaymentProviderValues): PaymentProviderForm {
  const secrets = new Set(paymentProviderTypeInfo[rest.type].fields.filter(isSecretField).map(({ name }) => name));
  const typed = Object.entries(config).filter(([name, value]) => !secrets.has(name) || value !== '');
  const switches = Object.entries(flags).map(([name, on]) => [name, String(on)]);
  return { ...rest, config: Object.fromEntries([...typed, ...switches]) };
}

/** Returns the contract's schema extended by the rules for the type's fields. */
export function valuesSchema(type: PaymentProviderType, stored: StoredSecrets) {
  const { fields } = paymentProviderTypeInfo[type];
  return paymentProviderForm
    .extend({ flags: z.record(z.string(), z.boolean()) })
    .superRefine(({ config, currency, exchange_rate }, context) => {
      if (exchange_rate === 0 && !hasDefaultRate(currency)) context.addIssue(missing(['exchange_rate']));
      for (const field of fields) {
        const path = ['config', field.name];
        const value = (config[field.name] ?? '').trim();
        const kept = isSecretField(field) && (stored[field.name] ?? '') !== '';
        if (field.required && value === '' && !kept) context.addIssue(missing(path));
        else if (field.kind === 'address' && value !== '' && !isWebAddress(value))
          context.addIssue({ code: 'invalid_format', format: 'url', path, input: value });
      }
    });
}

function missing(path: string[]) {
  return { code: 'too_small', origin: 'string', minimum: 1, inclusive: true, path, input: '' } as const;
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
