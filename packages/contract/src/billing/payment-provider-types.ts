/**
 * Configuration fields of each type of payment provider. The console builds its form from them, the server validates
 * with them.
 */
import type { Currency } from './top-up-cost.ts';

export const paymentProviderTypes = ['stripe', 'alipay', 'wxpay', 'epay', 'manual'] as const;
export type PaymentProviderType = (typeof paymentProviderTypes)[number];

export interface ConfigField {
  name: string;
  /** `pem` is one of several lines. */
  kind: 'text' | 'address' | 'secret' | 'secret-pem' | 'pem' | 'paragraph' | 'choice' | 'flag';
  required: boolean;
  /** Options of a choice field. */
  options?: readonly string[];
  /** It says whose account it is: another value, and another merchant is paid. */
  account?: true;
}

/** Goes in and never comes out. */
export function isSecretField({ kind }: ConfigField): boolean {
  return kind === 'secret' || kind === 'secret-pem';
}

export interface PaymentProviderTypeInfo {
  currencies: readonly Currency[] | 'any';
  /** The vendor has a test system. */
  sandbox: boolean;
  /** The money can be sent back through it. */
  refunds: boolean;
  fields: readonly ConfigField[];
}

const required = true;
const account = true;

/** Names of fields are those of the public API where it has them. */
export const paymentProviderTypeInfo: Readonly<Record<PaymentProviderType, PaymentProviderTypeInfo>> = {
  // https://docs.stripe.com/api
  stripe: {
    currencies: 'any',
    sandbox: true,
    refunds: true,
    fields: [
      { name: 'secret_key', kind: 'secret', required },
      // Made at Stripe and filled in when it is left empty.
      { name: 'webhook_secret', kind: 'secret', required: false },
      // Checkout has cards and wallets; the others are payment intents of one kind.
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
      // Alipay's, by which its notices are verified.
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
      // WeChat Pay's public key and its id, for merchants that have one; others fetch the platform's certificates.
      { name: 'platform_public_key_id', kind: 'text', required: false },
      { name: 'platform_public_key', kind: 'pem', required: false },
      { name: 'pay_type', kind: 'choice', required, options: ['Native', 'H5', 'JSAPI'] },
      // Of the official account, for JSAPI: WeChat tells by it who pays.
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
        // Empty: the buyer chooses at the cashier's desk.
        options: ['', 'alipay', 'wxpay', 'qqpay', 'jdpay', 'bank', 'paypal', 'usdt'],
      },
      // Ask the gateway before an order is credited: its signatures are MD5.
      { name: 'confirm_by_query', kind: 'flag', required: false },
      // Addresses that its notices come from, with commas; empty: any.
      { name: 'source_addresses', kind: 'text', required: false },
    ],
  },
  manual: {
    currencies: 'any',
    sandbox: false,
    refunds: false,
    fields: [
      // What buyers are told: bank, account, reference. `{trade_no}` and `{amount}` are filled in.
      { name: 'instructions', kind: 'paragraph', required },
    ],
  },
};
