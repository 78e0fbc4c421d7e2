/** Controls of a payment provider that is simulated on this machine. */
import type { PaymentProviderType } from '@switchyard/contract/billing/payment-provider-types';
import type { Currency } from '@switchyard/contract/billing/top-up-cost-and-currencies';
import type { WebhookRequest } from '../../billing/payment-integrations/payment-provider.ts';
import type { OriginOverrides } from '../../platform/outbound/outbound-fetch.ts';
import type { Reply, TestVendor } from '../simulated-vendor.ts';

export interface ScriptedOrder {
  tradeNo: string;
  /** In the smallest coin. */
  amount: number;
  currency: string;
  /** Number of the payment at the provider. */
  paymentNo: string;
  status: 'open' | 'paid' | 'failed' | 'closed';
  notifyUrl: string;
  returnUrl: string;
  refunds: ScriptedRefund[];
  disputes: ScriptedDispute[];
}

export interface ScriptedRefund {
  refundNo: string;
  providerNo: string;
  amount: number;
  /** `abnormal` exists at WeChat Pay only: the provider still holds the money. */
  status: 'pending' | 'succeeded' | 'failed' | 'abnormal';
}

export interface ScriptedDispute {
  disputeNo: string;
  amount: number;
  status: 'open' | 'won' | 'lost';
}

export type WebhookKind = 'paid' | 'failed' | 'closed' | 'refunded' | 'disputed' | 'dispute-won' | 'dispute-lost';

/** Webhook as it is sent. */
export interface SentWebhook {
  method: 'GET' | 'POST';
  url: string;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
}

export interface WebhookOptions {
  /** Default: `paid`. */
  kind?: WebhookKind;
  /** Number of simultaneous copies. */
  copies?: number;
  delayMs?: number;
  mutate?: (webhook: SentWebhook) => SentWebhook;
  /** Maximum attempts until the webhook is acknowledged. */
  tries?: number;
}

export interface WebhookDelivery {
  wasAcknowledged: boolean;
  /** Responses of each attempt; status 0 if there was none. */
  responses: { status: number; text: string }[];
}

/** Fields of a webhook before signing. */
export type WebhookFields = Record<string, unknown>;

export interface ScriptedProvider extends Pick<TestVendor, 'overrideReply' | 'resetReplies'> {
  type: PaymentProviderType;
  /** Without a trailing slash. */
  url: string;
  /** Configuration that this provider accepts. */
  config: Record<string, string>;
  originOverrides: OriginOverrides;
  currency: Currency;
  sandbox: boolean;
  orders: ReadonlyMap<string, ScriptedOrder>;
  /** Sets the address of webhooks for orders without one. */
  setNotifyUrl(url: string): void;
  /** Pays an order, without a webhook. */
  pay(tradeNo: string): void;
  /** Fails the buyer's payment. */
  fail(tradeNo: string): void;
  /** Refunds an amount in the provider's dashboard, if the payment has enough left. */
  refundAtDesk(tradeNo: string, amount: number): void;
  /** Makes new refunds pending while it is on. */
  delayRefunds(on: boolean): void;
  /** Opens a dispute of an amount by the buyer's bank. */
  dispute(tradeNo: string, amount: number): void;
  /** Returns authentic webhooks of an order's state. */
  buildWebhooks(tradeNo: string, kind?: WebhookKind): SentWebhook[];
  /** Returns the webhook of a payment with other fields, signed with the true key, another one or none. */
  forgeWebhook(tradeNo: string, change: (fields: WebhookFields) => WebhookFields, key?: SigningKey): SentWebhook;
  sendWebhook(tradeNo: string, options?: WebhookOptions): Promise<WebhookDelivery[]>;
  /** Drops the webhooks that the provider's pages send while it is on. */
  dropWebhooks(on: boolean): void;
  /** Holds webhooks until `releaseWebhooks`, which may send them in reverse order. */
  holdWebhooks(): void;
  releaseWebhooks(order?: 'in-order' | 'reversed'): Promise<void>;
  /** Executes the next `count` calls without a response, or with this one instead. */
  loseResponses(count: number, instead?: Reply): void;
  /** `POST /path` of each call. */
  asked: readonly string[];
  close(): Promise<void>;
}

export type SigningKey = 'true' | 'other' | 'empty';

export interface ScriptedOptions {
  /** UTC milliseconds; default: the real time. */
  now?: () => number;
}

/** Converts a sent webhook to the request that the server receives. */
export function toWebhookRequest({ method, url, headers, body }: SentWebhook, address = '127.0.0.1'): WebhookRequest {
  return { method, headers, query: new URL(url).searchParams, body: Buffer.from(body), address };
}
