/** Client of a payment gateway with its simulated provider, for tests of one definition. */

import { createProviderClient, prepareProvider } from '../../billing/payment-integrations/payment-integrations.ts';
import type {
  NewProviderOrder,
  OpenedOrder,
  PaidOrder,
  PaymentProviderClient,
  ProviderEnvironment,
} from '../../billing/payment-integrations/payment-provider.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';
import type { ScriptedProvider } from './scripted-provider.ts';

/** Address without a listener. */
const NOTIFY_URL = 'http://127.0.0.1:9/api/payment/notify/scripted';

export interface PaymentScene {
  vendor: ScriptedProvider;
  environment: ProviderEnvironment;
  clock: TestClock;
  provider: PaymentProviderClient;
  /** Connects with changed configuration to the same provider. */
  connect(changes?: Record<string, string>): Promise<PaymentProviderClient>;
  newOrder(changes?: Partial<NewProviderOrder>): NewProviderOrder;
  close(): Promise<void>;
}

export async function createPaymentScene(vendor: ScriptedProvider, notifyUrl = NOTIFY_URL): Promise<PaymentScene> {
  const outbound = createOutbound(['127.0.0.1'], vendor.originOverrides);
  const clock = createTestClock(undefined);
  const environment: ProviderEnvironment = { fetch: outbound.fetch, clock, sandbox: vendor.sandbox, notifyUrl };
  const connect = async (changes: Record<string, string> = {}): Promise<PaymentProviderClient> => {
    const config = { ...vendor.config, ...changes };
    const prepared = await prepareProvider(vendor.type, config, environment);
    return createProviderClient(vendor.type, { ...config, ...prepared }, environment);
  };
  let orders = 0;
  return {
    vendor,
    environment: environment,
    clock,
    provider: await connect(),
    connect,
    newOrder(changes = {}) {
      orders += 1;
      return {
        tradeNo: `T${Date.now()}n${orders}`,
        description: '额度 quota',
        amount: 1234,
        currency: vendor.currency,
        expiresAt: Math.floor(clock.now() / 1000) + 7200,
        returnUrl: 'http://127.0.0.1:9/panel/topup?back=1&x=2',
        address: '203.0.113.7',
        phone: false,
        ...changes,
      };
    },
    async close() {
      await vendor.close();
      await outbound.close();
    },
  };
}

export function toOpenedOrder(order: NewProviderOrder, ref: string): OpenedOrder {
  return { tradeNo: order.tradeNo, ref, amount: order.amount, currency: order.currency };
}

export function toPaidOrder(order: NewProviderOrder, ref: string, providerNo: string): PaidOrder {
  return { ...toOpenedOrder(order, ref), providerNo };
}
