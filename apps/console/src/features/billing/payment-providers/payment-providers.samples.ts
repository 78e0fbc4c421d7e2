/** Wire responses of the payment provider routes, for tests. */
import type { paymentProvider } from '@switchyard/contract/billing/payment-providers';
import type { z } from 'zod';

type WireProcessor = z.input<typeof paymentProvider>;

export function wirePaymentProvider(id: number, more: Partial<WireProcessor> = {}): WireProcessor {
  return {
    id,
    uuid: `uuid-${id}`,
    type: 'alipay',
    name: `Gateway ${id}`,
    icon: '',
    notify_domain: '',
    fixed_fee: 0.3,
    percent_fee: 0.029,
    currency: 'CNY',
    exchange_rate: 0,
    sort: id,
    enable: true,
    sandbox: false,
    created_at: 1_700_000_000,
    config: { app_id: '2021', public_key: 'PUBLIC', pay_type: 'facepay' },
    secrets: { private_key: '9f3c' },
    notify_url: `https://ai.example.com/api/payment/notify/uuid-${id}`,
    ...more,
  };
}
