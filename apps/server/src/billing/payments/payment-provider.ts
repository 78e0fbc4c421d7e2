/**
 * Interface of payment providers. A definition turns a configuration into a `Processor`; everything known of a vendor's
 * protocol is in its file in `processors/`. Amounts are whole numbers of the smallest coin.
 */
import type { Currency } from '@switchyard/contract/billing/top-up-cost';
import type { Clock } from '../../platform/clock.ts';
import type { OutboundFetch } from '../../platform/outbound/outbound-fetch.ts';

/** Values of the fields that `processorTypeFacts` names, each of them text. Definitions get them checked and trimmed. */
export type ProviderConfig = Readonly<Record<string, string>>;

export interface ProviderEnvironment {
  /** Guarded, with deadlines; the only way out. */
  fetch: OutboundFetch;
  clock: Clock;
  /** Against the vendor's test system. */
  sandbox: boolean;
  /** Address that receives this payment provider's webhook events. */
  notifyUrl: string;
}

export interface NewProviderOrder {
  /** 6 to 32 letters, digits, `-` and `_`, which is what all of them take. */
  tradeNo: string;
  /** Description that the buyer reads at the payment provider. */
  description: string;
  amount: number;
  currency: Currency;
  /** UTC seconds. */
  expiresAt: number;
  /** Address to which the buyer returns. */
  returnUrl: string;
  /** The buyer's. */
  address: string;
  /** The buyer pays on the device that asks, and it is a phone. */
  phone: boolean;
}

/** An order that was opened. */
export interface OpenedOrder {
  tradeNo: string;
  /** Reference that `open` returned for the order. */
  ref: string;
  amount: number;
  currency: Currency;
}

export interface PaidOrder extends OpenedOrder {
  /** The payment's number at the processor. */
  processorNo: string;
}

/** Way to pay that is shown to the buyer. */
export type PaymentMethod =
  | { kind: 'page'; url: string; method: 'GET' | 'POST'; params: Readonly<Record<string, string>> }
  /** The text that the code shows. */
  | { kind: 'qr'; url: string }
  | { kind: 'instructions'; text: string };

export interface OpenResult {
  paymentMethod: PaymentMethod;
  /** Empty where the processor knows the order by `tradeNo`. */
  ref: string;
}

/** A payment as the processor tells of it. Who received it was verified already. */
export interface ConfirmedPayment {
  processorNo: string;
  /** Amount in the order's own currency and coin, whatever the buyer's bank converted it to. */
  amount: number;
  /** Currency code as the payment provider writes it, in upper case. */
  currency: string;
}

/** `unknown`: the processor has never heard of it. */
export type PaymentState =
  | ({ state: 'paid' } & ConfirmedPayment)
  | { state: 'pending' | 'closed' | 'unknown' }
  | { state: 'failed'; reason: string };

export interface ReportedRefund {
  tradeNo: string;
  /** Our number; empty or a foreign one for a refund that was made at the provider's desk. */
  refundNo: string;
  processorRefundNo: string;
  amount: number;
}

/** Content of a verified webhook event. */
export type WebhookEvent =
  | ({ what: 'paid'; tradeNo: string } & ConfirmedPayment)
  | { what: 'failed' | 'closed'; tradeNo: string; reason: string }
  /** Money went back, also when it was sent back at the processor's own desk. */
  | ({ what: 'refunded' } & ReportedRefund)
  /** The money of a refund did not reach the buyer and is back at the merchant, even if it was reported as refunded. */
  | ({ what: 'refund-failed'; reason: string } & ReportedRefund)
  /** The provider holds the money of a refund until the merchant decides at its desk where it goes. */
  | ({ what: 'refund-unclear'; reason: string } & ReportedRefund)
  /** The buyer's bank takes the money back until it is decided. */
  | { what: 'disputed' | 'dispute-won' | 'dispute-lost'; tradeNo: string; disputeNo: string; amount: number };

/** Webhook event as it was received: nothing is parsed before it is verified. */
export interface WebhookRequest {
  method: string;
  /** Lower case. */
  headers: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Buffer;
  /** Whoever sent it. */
  address: string;
}

/** A page of ours on the buyer's way to pay. */
export interface BuyerPage {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Why it says that it did not work; for the log. */
  failure?: unknown;
}

export interface WebhookResponse {
  status: number;
  contentType: string;
  body: string;
}

export interface Refund {
  /** The same refund again has the same number, and is made once. Of the same characters as `tradeNo`, at most 64. */
  refundNo: string;
  amount: number;
  reason: string;
}

/** `pending`: the processor has taken it on. `unknown`: it has never heard of it. */
export type RefundState =
  | { state: 'done'; processorNo: string }
  | { state: 'pending' | 'unknown' }
  /** The provider holds the money until the merchant decides at its desk where it goes. */
  | { state: 'unclear'; reason: string }
  | { state: 'failed'; reason: string; processorNo: string };

/** Money of a payment that went back, as far as the payment provider reports it. */
export interface ReportedRefunds {
  /** Refunds and disputes that the provider lists. */
  events: readonly WebhookEvent[];
  /** The least sum of refunds that went back, in the smallest coin, where the provider doesn't list them. */
  minAmount: number;
}

export const NO_REPORTED_REFUNDS: ReportedRefunds = { events: [], minAmount: 0 };

export interface PaymentProviderClient {
  /** @throws ProcessorRefused when the processor says no; anything else when it could not be asked */
  openOrder(order: NewProviderOrder): Promise<OpenResult>;
  /**
   * @returns undefined for a true notice of something that orders do not care about
   * @throws NoticeRefused when it is not from the processor, or not for this account; anything else when the processor had
   * to be asked and did not answer: then it shall send the notice again
   */
  readWebhook(notice: WebhookRequest): Promise<WebhookEvent | undefined>;
  /**
   * The buyer's browser comes with GET to `notifyUrl` with a query that `open` made, where the processor wants a page of
   * ours. @returns undefined when the request is no such thing
   */
  showPage?(request: WebhookRequest): Promise<BuyerPage | undefined>;
  /** Returns the response by which the payment provider knows that an event was accepted, or must be sent again. */
  respondToWebhook(taken: boolean): WebhookResponse;
  pollOrder(order: OpenedOrder): Promise<PaymentState>;
  /** Nobody can pay any more after it, where the processor knows such a thing. */
  closeOrder(order: OpenedOrder): Promise<void>;
  /** Repeating it with the same number is safe. @throws ProcessorRefused when it will never be made */
  refund(order: PaidOrder, refund: Refund): Promise<RefundState>;
  pollRefund(order: PaidOrder, refund: Refund): Promise<RefundState>;
  /**
   * Returns what went back of a payment besides a refund that failed.
   * @param refusal reason why the refund was not made; undefined: it was made, and failed later
   * @throws ProcessorRefused when the provider doesn't know the payment; anything else when it could not be asked
   */
  listReportedRefunds(order: PaidOrder, failed: Refund, refusal?: ProviderRefused): Promise<ReportedRefunds>;
  /** Something harmless, to see whether the configuration works. @throws ProcessorRefused */
  test(): Promise<void>;
}

export interface PaymentProviderDefinition {
  /** @throws ConfigRefused for a configuration that can never work */
  connect(config: ProviderConfig, world: ProviderEnvironment): PaymentProviderClient;
  /** Sets up at the vendor what notices need. @returns fields of the configuration that it made */
  setUpWebhooks?(config: ProviderConfig, world: ProviderEnvironment): Promise<ProviderConfig>;
}

/** The processor's own no, in words that may be shown to staff: never with a secret in them. */
export class ProviderRefused extends Error {
  override readonly name = 'ProcessorRefused';
}

/** Not answered like a true one; the reason is for the log. */
export class InvalidWebhook extends Error {
  override readonly name = 'NoticeRefused';
}

export class InvalidConfig extends Error {
  override readonly name = 'ConfigRefused';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
