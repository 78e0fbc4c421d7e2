/** Bank transfers and other payments outside of a provider: buyers get instructions, and staff confirm payments. */
import { formatMinorUnits } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import {
  InvalidWebhookError,
  NO_REPORTED_REFUNDS,
  type PaymentProviderDefinition,
  PaymentProviderError,
} from '../payment-provider.ts';

export const manual: PaymentProviderDefinition = {
  connect(config) {
    const instructions = config['instructions'] ?? '';
    return {
      async openOrder({ tradeNo, amount, currency }) {
        const text = instructions
          .replaceAll('{trade_no}', () => tradeNo)
          .replaceAll('{amount}', () => `${formatMinorUnits(amount, currency)} ${currency}`);
        return { ref: '', paymentMethod: { kind: 'instructions', text } };
      },
      async readWebhook() {
        throw new InvalidWebhookError('Manual payments have no webhook events');
      },
      respondToWebhook: () => ({ status: 404, contentType: 'text/plain', body: 'not found' }),
      pollOrder: async () => ({ state: 'pending' }),
      closeOrder: async () => {},
      async refund() {
        throw new PaymentProviderError('A manual payment must be refunded by hand');
      },
      pollRefund: async () => ({ state: 'unknown' }),
      listReportedRefunds: async () => NO_REPORTED_REFUNDS,
      test: async () => {},
    };
  },
};
