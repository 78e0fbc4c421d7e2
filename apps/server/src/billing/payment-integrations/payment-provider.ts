/**
 * Interface of payment providers. A definition turns a configuration into a `PaymentProviderClient`; each vendor's
 * protocol is in its folder in `providers/`. Amounts are whole numbers of the minor unit.
 */
import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { Clock } from '../../platform/clock.ts';
import type { OutboundFetch } from '../../platform/outbound/outbound-fetch.ts';

/** Text values of the fields that `paymentProviderTypeInfo` names. Definitions get them checked and trimmed. */
export type ProviderConfig = Readonly<Record<string, string>>;

export interface ProviderEnvironment {
  /** Outbound fetch with address checks and timeouts; providers use no other client. */
  fetch: OutboundFetch;
  clock: Clock;
  /** True for the vendor's test system. */
  sandbox: boolean;
  /** Address that receives this payment provider's webhook events. */
  notifyUrl: string;
}

export interface NewProviderOrder {
  /** 6 to 32 letters, digits, `-` and `_`, which all vendors accept. */
  tradeNo: string;
  /** Description that the buyer reads at the payment provider. */
  description: string;
  amount: number;
  currency: Currency;
  /** UTC seconds. */
  expiresAt: number;
  /** Address to which the buyer returns. */
  returnUrl: string;
  /** Client address of the buyer. */
  address: string;
  /** True if the buyer pays on the requesting device, which is a phone. */
  phone: boolean;
}

/** Opened order. */
export interface OpenedOrder {
  tradeNo: string;
  /** Reference that `openOrder` returned. */
  ref: string;
  amount: number;
  currency: Currency;
}

export interface PaidOrder extends OpenedOrder {
  /** Payment's number at the provider. */
  providerNo: string;
}

/** Way to pay that is shown to the buyer. */
export type PaymentMethod =
  | { kind: 'page'; url: string; method: 'GET' | 'POST'; params: Readonly<Record<string, string>> }
  /** Text to encode in the QR code. */
  | { kind: 'qr'; url: string }
  | { kind: 'instructions'; text: string };

export interface OpenResult {
  paymentMethod: PaymentMethod;
  /** Empty if the provider knows the order by `tradeNo`. */
  ref: string;
}

/** Payment that the provider reports; its recipient was already verified. */
export interface ConfirmedPayment {
  providerNo: string;
  /** Amount in the order's own currency and minor unit, whatever the buyer's bank converted it to. */
  amount: number;
  /** Currency code as the payment provider writes it, in upper case. */
  currency: string;
}

/**
 * `unknown`: the provider does not know the order. `refunded`: it was paid and refunded, at least in part, and the
 * provider doesn't report how much.
 */
export type PaymentState =
  | ({ state: 'paid' | 'refunded' } & ConfirmedPayment)
  | { state: 'pending' | 'closed' | 'unknown' }
  | { state: 'failed'; reason: string };

export interface ReportedRefund {
  tradeNo: string;
  /** Gateway's number; empty or a foreign one for a refund made in the provider's dashboard. */
  refundNo: string;
  providerRefundNo: string;
  /** In the minor unit of `currency`. */
  amount: number;
  /** Code in capitals; absent if it is that of the order. */
  currency?: string | undefined;
  /** Number of the refunded payment; absent if the provider doesn't report it. */
  paymentNo?: string | undefined;
}

interface ReportedDispute {
  tradeNo: string;
  disputeNo: string;
  /** In the minor unit of `currency`. */
  amount: number;
  /** Code in capitals; absent if it is that of the order. */
  currency?: string | undefined;
  /** Number of the disputed payment; absent if the provider doesn't report it. */
  paymentNo?: string | undefined;
}

/** Content of a verified webhook event. */
export type WebhookEvent =
  | ({ what: 'paid'; tradeNo: string } & ConfirmedPayment)
  | { what: 'failed' | 'closed'; tradeNo: string; reason: string }
  /** A refund was made, here or in the provider's dashboard. */
  | ({ what: 'refunded' } & ReportedRefund)
  /**
   * The money of a refund did not reach the buyer and is back at the merchant, even if it was reported as refunded.
   */
  | ({ what: 'refund-failed'; reason: string } & ReportedRefund)
  /** The provider holds the money of a refund until the merchant decides in its dashboard. */
  | ({ what: 'refund-unclear'; reason: string } & ReportedRefund)
  /** The buyer's bank withdraws the money until the dispute is decided. */
  | ({ what: 'disputed' | 'dispute-won' | 'dispute-lost' } & ReportedDispute);

/** Webhook event as received: nothing is parsed before it is verified. */
export interface WebhookRequest {
  method: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Buffer;
  /** Client address of the sender. */
  address: string;
}

/** Page that the gateway shows to a paying buyer. */
export interface BuyerPage {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Error behind a failure page; for the log. */
  failure?: unknown;
}

export interface WebhookResponse {
  status: number;
  contentType: string;
  body: string;
}

export interface Refund {
  /**
   * Idempotency key: a repeated refund has the same number, and is made once. Same characters as `tradeNo`, at most
   * 64.
   */
  refundNo: string;
  amount: number;
  reason: string;
}

/** `pending`: the provider has accepted it. `unknown`: the provider does not know it. */
export type RefundState =
  | { state: 'done'; providerNo: string }
  | { state: 'pending' | 'unknown' }
  /** The provider holds the money until the merchant decides in its dashboard. */
  | { state: 'unclear'; reason: string }
  | { state: 'failed'; reason: string; providerNo: string };

/** Refunded money of a payment, as reported by the provider. */
export interface ReportedRefunds {
  /** Refunds and disputes that the provider lists. */
  events: readonly WebhookEvent[];
  /** Minimum sum of refunds, in the minor unit, if the provider doesn't list them. */
  minAmount: number;
}

export const NO_REPORTED_REFUNDS: ReportedRefunds = { events: [], minAmount: 0 };

export interface PaymentProviderClient {
  /** @throws PaymentProviderError when the provider refuses; any other error without a clear response */
  openOrder(order: NewProviderOrder): Promise<OpenResult>;
  /**
   * @returns undefined for a genuine event that does not concern orders
   * @throws InvalidWebhookError when it is not from the provider, or not for this account; any other error when a query to
   * the provider failed: then the provider shall send the event again
   */
  readWebhook(webhook: WebhookRequest): Promise<WebhookEvent | undefined>;
  /**
   * Shows a page of the gateway to a buyer, whose browser requests `notifyUrl` with a query that `openOrder` created.
   * @returns undefined for any other request
   */
  showPage?(request: WebhookRequest): Promise<BuyerPage | undefined>;
  /** Returns the response that confirms an event to the payment provider, or asks for it again. */
  respondToWebhook(taken: boolean): WebhookResponse;
  pollOrder(order: OpenedOrder): Promise<PaymentState>;
  /** Prevents further payments, if the provider supports it. */
  closeOrder(order: OpenedOrder): Promise<void>;
  /** Refunds; safe to repeat with the same number. @throws PaymentProviderError when it can never be made */
  refund(order: PaidOrder, refund: Refund): Promise<RefundState>;
  pollRefund(order: PaidOrder, refund: Refund): Promise<RefundState>;
  /**
   * Returns what was refunded of a payment besides a failed refund.
   * @param refusal reason why the refund was not made; undefined if it was made, and failed later
   * @throws PaymentProviderError when the provider doesn't know the payment; any other error without a clear response
   */
  listReportedRefunds(order: PaidOrder, failed: Refund, refusal?: PaymentProviderError): Promise<ReportedRefunds>;
  /** Tests the configuration by a harmless call. @throws PaymentProviderError */
  test(): Promise<void>;
}

export interface PaymentProviderDefinition {
  /** @throws InvalidConfigError for a configuration that can never work */
  connect(config: ProviderConfig, environment: ProviderEnvironment): PaymentProviderClient;
  /** Sets up webhooks at the vendor. @returns the configuration fields that result */
  setUpWebhooks?(config: ProviderConfig, environment: ProviderEnvironment): Promise<ProviderConfig>;
}

/** Refusal by the provider, with a message that may be shown to staff and contains no secret. */
export class PaymentProviderError extends Error {
  override readonly name = 'PaymentProviderError';
}

/** Webhook event that is not genuine; the reason is for the log. */
export class InvalidWebhookError extends Error {
  override readonly name = 'InvalidWebhookError';
}

export class InvalidConfigError extends Error {
  override readonly name = 'InvalidConfigError';
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}
