/**
 * Configuration fields of each type of payment provider. The console builds its form from them, and the server
 * validates with them.
 */
import type { Currency } from './top-up-cost-and-currencies.ts';

export const paymentProviderTypes = ['stripe', 'alipay', 'wxpay', 'epay', 'manual'] as const;
export type PaymentProviderType = (typeof paymentProviderTypes)[number];

export interface ConfigField {
  name: string;
  /** Input type of the field; a `pem` has several lines. */
  kind: 'text' | 'address' | 'secret' | 'secret-pem' | 'pem' | 'paragraph' | 'choice' | 'flag';
  required: boolean;
  /** Options of a choice field. */
  options?: readonly string[];
  /** True if the field identifies the merchant account, so that a change of it changes the payee. */
  account?: true;
}

/** Returns whether the field is a secret, which responses never contain. */
export function isSecretField({ kind }: ConfigField): boolean {
  return kind === 'secret' || kind === 'secret-pem';
}

export interface PaymentProviderTypeInfo {
  currencies: readonly Currency[] | 'any';
  /** True if the vendor has a test system. */
  sandbox: boolean;
  /** True if the provider supports refunds. */
  refunds: boolean;
  fields: readonly ConfigField[];
}

const required = true;
const account = true;

/** Providers by type. Fields are named as in the public API where it has them. */
export const paymentProviderTypeInfo: Readonly<Record<PaymentProviderType, PaymentProviderTypeInfo>> = {
  // https://docs.stripe.com/api
  stripe: {
    currencies: 'any',
    sandbox: true,
    refunds: true,
    fields: [
      { name: 'secret_key', kind: 'secret', required },
      // If left empty, the gateway creates the webhook at Stripe and fills this in.
      { name: 'webhook_secret', kind: 'secret', required: false },
      // Checkout supports cards and wallets; the other choices are payment intents of one method.
      { name: 'pay_type', kind: 'choice', required, options: ['checkout', 'alipay', 'wechat_pay'] },
    ],
  },
  // https://opendocs.alipay.com/open/270/105899
  alipay: {
    currencies: ['CNY'],
    sandbox: true,
    refunds: true,
    fields: [
      { name: 'app_id', kind: 'text', required, account },
      { name: 'private_key', kind: 'secret-pem', required },
      // Alipay's public key, which verifies its notifications.
      { name: 'public_key', kind: 'pem', required },
      { name: 'pay_type', kind: 'choice', required, options: ['facepay', 'pagepay', 'wappay'] },
    ],
  },
  // https://pay.weixin.qq.com/doc/v3/merchant/4012791858
  wxpay: {
    currencies: ['CNY'],
    sandbox: false,
    refunds: true,
    fields: [
      { name: 'app_id', kind: 'text', required, account },
      { name: 'mch_id', kind: 'text', required, account },
      { name: 'mch_certificate_serial_number', kind: 'text', required },
      { name: 'mch_private_key', kind: 'secret-pem', required },
      { name: 'mch_apiv3_key', kind: 'secret', required },
      // WeChat Pay's public key and its id, for merchants that have one; for others the gateway fetches the platform
      // certificates.
      { name: 'platform_public_key_id', kind: 'text', required: false },
      { name: 'platform_public_key', kind: 'pem', required: false },
      { name: 'pay_type', kind: 'choice', required, options: ['Native', 'H5', 'JSAPI'] },
      // Secret of the official account, for JSAPI: it identifies the payer at WeChat.
      { name: 'app_secret', kind: 'secret', required: false },
    ],
  },
  epay: {
    currencies: ['CNY'],
    sandbox: false,
    refunds: true,
    fields: [
      { name: 'pay_domain', kind: 'address', required, account },
      { name: 'partner_id', kind: 'text', required, account },
      { name: 'key', kind: 'secret', required },
      {
        name: 'pay_type',
        kind: 'choice',
        required: false,
        // Empty: the buyer chooses on the provider's page.
        options: ['', 'alipay', 'wxpay', 'qqpay', 'jdpay', 'bank', 'paypal', 'usdt'],
      },
      // Confirms a payment by a query before the order is credited, because the signatures are MD5.
      { name: 'confirm_by_query', kind: 'flag', required: false },
      // Source addresses of its notifications, separated by commas; empty: any.
      { name: 'source_addresses', kind: 'text', required: false },
    ],
  },
  manual: {
    currencies: 'any',
    sandbox: false,
    refunds: false,
    fields: [
      // Instructions for buyers: bank, account, reference. `{trade_no}` and `{amount}` are filled in.
      { name: 'instructions', kind: 'paragraph', required },
    ],
  },
};
