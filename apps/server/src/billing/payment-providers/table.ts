import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Generated } from 'kysely';

export interface PaymentProviderTable {
  id: Generated<number>;
  /** Id in the address to which its webhook events are sent. */
  uuid: string;
  type: PaymentProviderType;
  name: string;
  icon: string;
  notify_domain: string;
  fixed_fee_micros: number;
  percent_fee_micros: number;
  currency: Currency;
  /** 0 for the rate of the settings. */
  exchange_rate_micros: number;
  sort: number;
  enable: number;
  sandbox: number;
  /** JSON of the plain fields. */
  config: string;
  /** JSON of the secret fields, sealed; empty without any. */
  secrets_sealed: string;
  created_time: number;
  deleted_time: number | null;
}
