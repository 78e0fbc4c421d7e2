/** What every payment company that is played has in common: orders, notices that are sent, and answers that get lost. */
import type { Reply, TestVendor } from '../vendor.ts';
import { createScriptedLedger, type ScriptedLedger } from './books.ts';
import { createWebhookSender } from './postman.ts';
import type { ScriptedProvider, SentWebhook, WebhookKind } from './scripted-processor.ts';

interface VendorBehaviour {
  /** Makes the number of a payment. */
  paymentNo(): string;
  /** Whether an answer says that a notice was taken. */
  isRight(status: number, text: string): boolean;
  noticesOf(books: ScriptedLedger, tradeNo: string, kind: WebhookKind): SentWebhook[];
}

type SharedControls = Pick<
  ScriptedProvider,
  | 'orders'
  | 'pay'
  | 'fail'
  | 'refundAtDesk'
  | 'delayRefunds'
  | 'dispute'
  | 'noticesOf'
  | 'sendNotice'
  | 'dropNotices'
  | 'hold'
  | 'release'
  | 'loseAnswers'
>;

interface VendorCore {
  books: ScriptedLedger;
  /** What is answered to a call that was carried out, unless it gets lost. */
  answered: (reply: Reply) => Reply;
  /** Sends the notices of a payment in the background, as the company's own pages do. */
  tell: (tradeNo: string) => void;
  /** All of it, with what is the company's own. */
  opened: (
    vendor: TestVendor,
    own: Omit<ScriptedProvider, keyof SharedControls | 'url' | 'asked' | 'close'>,
  ) => ScriptedProvider;
}

export function createVendorCore(ways: VendorBehaviour): VendorCore {
  const books = createScriptedLedger(() => ways.paymentNo());
  const postman = createWebhookSender((status, text) => ways.isRight(status, text));
  const noticesOf = (tradeNo: string, kind: WebhookKind = 'paid') => ways.noticesOf(books, tradeNo, kind);
  let [lost, drops] = [0, false];
  const desk: SharedControls = {
    orders: books.orders,
    pay: (tradeNo) => books.pay(tradeNo),
    fail: (tradeNo) => books.fail(tradeNo),
    refundAtDesk: (tradeNo, amount) => void books.refund(tradeNo, amount),
    delayRefunds: (on) => books.delayRefunds(on),
    dispute: (tradeNo, amount) => void books.dispute(tradeNo, amount),
    noticesOf,
    sendNotice: (tradeNo, options) => postman.send(noticesOf(tradeNo, options?.kind), options),
    dropNotices(on) {
      drops = on;
    },
    hold: () => postman.hold(),
    release: (order) => postman.release(order),
    loseAnswers(count) {
      lost = count;
    },
  };
  return {
    books,
    answered(reply) {
      if (lost === 0) return reply;
      lost -= 1;
      return 'hang-up';
    },
    tell(tradeNo) {
      if (!drops) void postman.send(noticesOf(tradeNo));
    },
    opened: (vendor, own) => ({
      ...desk,
      ...own,
      url: vendor.url,
      asked: vendor.asked,
      async close() {
        await postman.stop();
        await vendor.close();
      },
    }),
  };
}
