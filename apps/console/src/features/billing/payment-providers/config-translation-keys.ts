/** Translation keys of the configuration's fields and choices. */
import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import type words from '../../../i18n/en_US/processors.json';

type FieldName = keyof typeof words.field;
type ChoiceName = keyof typeof words.choice;

const fieldNames: Readonly<Record<FieldName, true>> = {
  secret_key: true,
  webhook_secret: true,
  pay_type: true,
  app_id: true,
  private_key: true,
  public_key: true,
  mch_id: true,
  mch_certificate_serial_number: true,
  mch_private_key: true,
  mch_apiv3_key: true,
  platform_public_key_id: true,
  platform_public_key: true,
  app_secret: true,
  pay_domain: true,
  partner_id: true,
  key: true,
  confirm_by_query: true,
  source_addresses: true,
  instructions: true,
};

const choiceNames: Readonly<Record<ChoiceName, true>> = {
  'stripe-checkout': true,
  'stripe-alipay': true,
  'stripe-wechat_pay': true,
  'alipay-facepay': true,
  'alipay-pagepay': true,
  'alipay-wappay': true,
  'wxpay-Native': true,
  'wxpay-H5': true,
  'wxpay-JSAPI': true,
  'epay-any': true,
  'epay-alipay': true,
  'epay-wxpay': true,
  'epay-qqpay': true,
  'epay-jdpay': true,
  'epay-bank': true,
  'epay-paypal': true,
  'epay-usdt': true,
};

const isFieldName = (name: string): name is FieldName => Object.hasOwn(fieldNames, name);
const isChoiceName = (name: string): name is ChoiceName => Object.hasOwn(choiceNames, name);

export function configFieldKey(name: string): FieldName | undefined {
  return isFieldName(name) ? name : undefined;
}

/**
 * Returns the translation key of a choice, if there is one.
 * @param option empty when the buyer chooses at checkout
 */
export function configChoiceKey(type: PaymentProviderType, option: string): ChoiceName | undefined {
  const name = `${type}-${option === '' ? 'any' : option}`;
  return isChoiceName(name) ? name : undefined;
}
