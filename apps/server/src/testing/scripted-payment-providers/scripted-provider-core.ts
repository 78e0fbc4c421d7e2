/** Common parts of all simulated payment providers: orders, sent webhooks, and lost responses. */
import type { Reply, TestVendor } from '../simulated-vendor.ts';
import { createScriptedLedger, type ScriptedLedger } from './scripted-orders.ts';
import type { ScriptedProvider, SentWebhook, WebhookKind } from './scripted-provider.ts';
import { createWebhookSender } from './webhook-sender.ts';

interface VendorBehaviour {
  /** Creates the number of a payment. */
  paymentNo(): string;
  /** Returns whether a response acknowledges a webhook. */
  isAcknowledged(status: number, text: string): boolean;
  buildWebhooks(ledger: ScriptedLedger, tradeNo: string, kind: WebhookKind): SentWebhook[];
}

type SharedControls = Pick<
  ScriptedProvider,
  | 'orders'
  | 'pay'
  | 'fail'
  | 'refundAtDesk'
  | 'delayRefunds'
  | 'dispute'
  | 'buildWebhooks'
  | 'sendWebhook'
  | 'dropWebhooks'
  | 'holdWebhooks'
  | 'releaseWebhooks'
  | 'loseResponses'
>;

interface VendorCore {
  ledger: ScriptedLedger;
  /** Returns the response to an executed call, unless it must be lost. */
  withLostResponses: (reply: Reply) => Reply;
  /** Sends the webhooks of a payment in the background, like the provider's pages. */
  sendWebhooks: (tradeNo: string) => void;
  /** Completes the simulated provider with its specific parts. */
  createScriptedProvider: (
    vendor: TestVendor,
    own: Omit<ScriptedProvider, keyof SharedControls | keyof TestVendor>,
  ) => ScriptedProvider;
}

export function createVendorCore(ways: VendorBehaviour): VendorCore {
  const ledger = createScriptedLedger(() => ways.paymentNo());
  const postman = createWebhookSender((status, text) => ways.isAcknowledged(status, text));
  const buildWebhooks = (tradeNo: string, kind: WebhookKind = 'paid') => ways.buildWebhooks(ledger, tradeNo, kind);
  let [lost, drops] = [0, false];
  let replacement: Reply = 'hang-up';
  const desk: SharedControls = {
    orders: ledger.orders,
    pay: (tradeNo) => ledger.pay(tradeNo),
    fail: (tradeNo) => ledger.fail(tradeNo),
    refundAtDesk: (tradeNo, amount) => void ledger.refund(tradeNo, amount),
    delayRefunds: (on) => ledger.delayRefunds(on),
    dispute: (tradeNo, amount) => void ledger.dispute(tradeNo, amount),
    buildWebhooks: buildWebhooks,
    sendWebhook: (tradeNo, options) => postman.send(buildWebhooks(tradeNo, options?.kind), options),
    dropWebhooks(on) {
      drops = on;
    },
    holdWebhooks: () => postman.pause(),
    releaseWebhooks: (order) => postman.resume(order),
    loseResponses(count, instead = 'hang-up') {
      lost = count;
      replacement = instead;
    },
  };
  return {
    ledger,
    withLostResponses(reply) {
      if (lost === 0) return reply;
      lost -= 1;
      return replacement;
    },
    sendWebhooks(tradeNo) {
      if (!drops) void postman.send(buildWebhooks(tradeNo));
    },
    createScriptedProvider: (vendor, own) => ({
      ...desk,
      ...own,
      url: vendor.url,
      asked: vendor.asked,
      overrideReply: (route, answer) => vendor.overrideReply(route, answer),
      resetReplies: () => vendor.resetReplies(),
      async close() {
        await postman.stop();
        await vendor.close();
      },
    }),
  };
}
