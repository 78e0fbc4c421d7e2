/**
 * Payment providers by type. A connected client caches what it learns of its vendor, such as certificates, so it
 * should be reused.
 */
import {
  type ConfigField,
  type PaymentProviderType,
  paymentProviderTypeInfo,
} from '@switchyard/contract/billing/payment-provider-types';
import {
  InvalidConfigError,
  type NewProviderOrder,
  type PaymentProviderClient,
  type PaymentProviderDefinition,
  PaymentProviderError,
  type ProviderConfig,
  type ProviderEnvironment,
} from './payment-provider.ts';
import { alipay } from './providers/alipay/alipay.ts';
import { epay } from './providers/epay/epay.ts';
import { manual } from './providers/manual.ts';
import { stripe } from './providers/stripe/stripe.ts';
import { wxpay } from './providers/wxpay/wxpay.ts';

export {
  type BuyerPage,
  type ConfirmedPayment,
  InvalidConfigError,
  InvalidWebhookError,
  type NewProviderOrder,
  NO_REPORTED_REFUNDS,
  type OpenResult,
  type PaidOrder,
  type PaymentMethod,
  type PaymentProviderClient,
  PaymentProviderError,
  type PaymentState,
  type ProviderConfig,
  type ProviderEnvironment,
  type Refund,
  type RefundState,
  type ReportedRefund,
  type ReportedRefunds,
  type WebhookEvent,
  type WebhookRequest,
} from './payment-provider.ts';

const definitions: Readonly<Record<PaymentProviderType, PaymentProviderDefinition>> = {
  alipay,
  epay,
  manual,
  stripe,
  wxpay,
};

/** @throws InvalidConfigError for a configuration that can never work, such as one without a secret */
export function createProviderClient(
  type: PaymentProviderType,
  config: ProviderConfig,
  environment: ProviderEnvironment,
): PaymentProviderClient {
  const provider = definitions[type].connect(checkConfig(type, config, environment), environment);
  return { ...provider, openOrder: async (order) => provider.openOrder(checkOrder(type, order)) };
}

/** @throws PaymentProviderError for an amount or currency that the provider cannot represent */
function checkOrder(type: PaymentProviderType, order: NewProviderOrder): NewProviderOrder {
  const { currencies } = paymentProviderTypeInfo[type];
  if (currencies !== 'any' && !currencies.includes(order.currency))
    throw new PaymentProviderError(`This payment method does not support ${order.currency}`);
  if (!Number.isSafeInteger(order.amount) || order.amount < 1)
    throw new PaymentProviderError('The amount to pay is invalid');
  return order;
}

/**
 * Sets up webhooks at the vendor, if the configuration leaves that to the gateway.
 * @returns the configuration fields that result
 * @throws InvalidConfigError
 * @throws PaymentProviderError when the vendor refuses; any other error without a clear response
 */
export async function prepareProvider(
  type: PaymentProviderType,
  config: ProviderConfig,
  environment: ProviderEnvironment,
): Promise<ProviderConfig> {
  return (await definitions[type].setUpWebhooks?.(checkConfig(type, config, environment), environment)) ?? {};
}

/** @returns its fields, trimmed */
function checkConfig(
  type: PaymentProviderType,
  config: ProviderConfig,
  { sandbox }: ProviderEnvironment,
): ProviderConfig {
  const facts = paymentProviderTypeInfo[type];
  if (sandbox && !facts.sandbox) throw new InvalidConfigError('sandbox', 'This payment provider has no test mode');
  return Object.fromEntries(
    facts.fields.map((field) => {
      const value = (config[field.name] ?? '').trim();
      const fault = value === '' ? findMissingError(field) : findValueError(value, field);
      if (fault !== undefined) throw new InvalidConfigError(field.name, `${field.name} ${fault}`);
      return [field.name, value];
    }),
  );
}

function findMissingError({ required }: ConfigField): string | undefined {
  return required ? 'is missing' : undefined;
}

function findValueError(value: string, { kind, options }: ConfigField): string | undefined {
  if (kind === 'choice' && options?.includes(value) !== true) return 'is not one of the allowed values';
  if (kind === 'flag' && value !== 'true' && value !== 'false') return 'must be true or false';
  if (kind === 'address' && !isHttpAddress(value)) return 'must be an HTTP or HTTPS URL';
  return undefined;
}

function isHttpAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}
