/** A processor that is connected to the company that plays its vendor, for tests of one definition. */

import type {
  OpenedOrder,
  OrderToPay,
  PaidOrder,
  Processor,
  ProcessorWorld,
} from '../../billing/payments/payment-provider.ts';
import { connectProcessor, prepareProcessor } from '../../billing/payments/payments.ts';
import { createOutbound } from '../../platform/outbound/outbound.ts';
import { createTestClock, type TestClock } from '../test-clock.ts';
import type { ScriptedProcessor } from './scripted-processor.ts';

/** Nobody is there. */
const NOTIFY_URL = 'http://127.0.0.1:9/api/payment/notify/scripted';

export interface PaymentScene {
  company: ScriptedProcessor;
  world: ProcessorWorld;
  clock: TestClock;
  processor: Processor;
  /** Another one of the same company, configured differently. */
  connect(changes?: Record<string, string>): Promise<Processor>;
  orderToPay(changes?: Partial<OrderToPay>): OrderToPay;
  close(): Promise<void>;
}

export async function paymentScene(
  company: ScriptedProcessor,
  notifyUrl = NOTIFY_URL,
): Promise<PaymentScene> {
  const outbound = createOutbound(['127.0.0.1'], company.standIns);
  const clock = createTestClock(undefined);
  const world: ProcessorWorld = {
    fetch: outbound.fetch,
    clock,
    sandbox: company.sandbox,
    notifyUrl,
  };
  const connect = async (changes: Record<string, string> = {}): Promise<Processor> => {
    const config = { ...company.config, ...changes };
    const made = await prepareProcessor(company.type, config, world);
    return connectProcessor(company.type, { ...config, ...made }, world);
  };
  let orders = 0;
  return {
    company,
    world,
    clock,
    processor: await connect(),
    connect,
    orderToPay(changes = {}) {
      orders += 1;
      return {
        tradeNo: `T${Date.now()}n${orders}`,
        description: '额度 quota',
        amount: 1234,
        currency: company.currency,
        expiresAt: Math.floor(clock.now() / 1000) + 7200,
        returnUrl: 'http://127.0.0.1:9/panel/topup?back=1&x=2',
        address: '203.0.113.7',
        phone: false,
        ...changes,
      };
    },
    async close() {
      await company.close();
      await outbound.close();
    },
  };
}

export function opened(order: OrderToPay, ref: string): OpenedOrder {
  return { tradeNo: order.tradeNo, ref, amount: order.amount, currency: order.currency };
}

export function paid(order: OrderToPay, ref: string, processorNo: string): PaidOrder {
  return { ...opened(order, ref), processorNo };
}
