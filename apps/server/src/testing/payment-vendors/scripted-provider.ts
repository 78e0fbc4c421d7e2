/** What tests have of a payment company that is played on this machine, whichever it is. */
import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import type { Currency } from '@switchyard/contract/billing/top-up-cost';
import type { WebhookRequest } from '../../billing/payments/payment-provider.ts';
import type { OriginOverrides } from '../../platform/outbound/outbound-fetch.ts';

export interface ScriptedOrder {
  tradeNo: string;
  /** In the smallest coin. */
  amount: number;
  currency: string;
  /** The payment's number at the company. */
  paymentNo: string;
  status: 'open' | 'paid' | 'failed' | 'closed';
  notifyUrl: string;
  returnUrl: string;
  refunds: ScriptedRefund[];
  disputes: ScriptedDispute[];
}

export interface ScriptedRefund {
  refundNo: string;
  processorNo: string;
  amount: number;
  /** Only WeChat Pay knows `abnormal`: it holds the money. */
  status: 'pending' | 'succeeded' | 'failed' | 'abnormal';
}

export interface ScriptedDispute {
  disputeNo: string;
  amount: number;
  status: 'open' | 'won' | 'lost';
}

export type WebhookKind = 'paid' | 'failed' | 'closed' | 'refunded' | 'disputed' | 'dispute-won' | 'dispute-lost';

/** A notice as it goes over the wire. */
export interface SentWebhook {
  method: 'GET' | 'POST';
  url: string;
  /** Lower case. */
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

export interface WebhookOptions {
  /** `paid` unless it says otherwise. */
  kind?: WebhookKind;
  /** At the same time. */
  copies?: number;
  delayMs?: number;
  mutate?: (notice: SentWebhook) => SentWebhook;
  /** How often one is sent until the right answer is heard. */
  tries?: number;
}

export interface WebhookDelivery {
  wasAcknowledged: boolean;
  /** Of each try; status 0 when there was none. */
  responses: { status: number; text: string }[];
}

/** Fields of a notice before it is signed. */
export type WebhookFields = Record<string, unknown>;

export interface ScriptedProvider {
  type: PaymentProviderType;
  /** Without a trailing slash. */
  url: string;
  /** A configuration that this company accepts. */
  config: Record<string, string>;
  originOverrides: OriginOverrides;
  currency: Currency;
  sandbox: boolean;
  orders: ReadonlyMap<string, ScriptedOrder>;
  /** Where notices go when the order does not say it. */
  setNotifyUrl(url: string): void;
  /** The buyer pays. Nobody is told of it. */
  pay(tradeNo: string): void;
  /** The buyer's payment does not succeed. */
  fail(tradeNo: string): void;
  /** Somebody sends money back at the company's own desk, if so much of the payment is left. */
  refundAtDesk(tradeNo: string, amount: number): void;
  /** Refunds are pending when they are made, as long as this is on. */
  delayRefunds(on: boolean): void;
  /** The buyer's bank disputes an amount. */
  dispute(tradeNo: string, amount: number): void;
  /** True notices of what an order has become. */
  buildWebhooks(tradeNo: string, kind?: WebhookKind): SentWebhook[];
  /** The notice of a payment with other fields, signed with the true key, another one or none. */
  forgeWebhook(tradeNo: string, change: (fields: WebhookFields) => WebhookFields, key?: SigningKey): SentWebhook;
  sendWebhook(tradeNo: string, options?: WebhookOptions): Promise<WebhookDelivery[]>;
  /** What its own pages send gets lost, as long as this is on. */
  dropWebhooks(on: boolean): void;
  /** Notices wait until `release`, which may send them in another order. */
  holdWebhooks(): void;
  releaseWebhooks(order?: 'in-order' | 'reversed'): Promise<void>;
  /** So many calls are carried out, and their answers get lost. */
  loseResponses(count: number): void;
  /** `POST /path` of each call. */
  asked: readonly string[];
  close(): Promise<void>;
}

export type SigningKey = 'true' | 'other' | 'empty';

export interface ScriptedOptions {
  /** UTC milliseconds; the real time when it is left out. */
  now?: () => number;
}

/** How a notice arrives at the server. */
export function toWebhookRequest({ method, url, headers, body }: SentWebhook, address = '127.0.0.1'): WebhookRequest {
  return { method, headers, query: new URL(url).searchParams, body: Buffer.from(body), address };
}
