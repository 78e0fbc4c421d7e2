/** Payments: https://pay.weixin.qq.com/doc/v3/merchant/4012791861, refunds: https://pay.weixin.qq.com/doc/v3/merchant/4012791865 */
import { z } from 'zod';
import {
  InvalidWebhookError,
  type ProviderEnvironment,
  type WebhookEvent,
  type WebhookRequest,
} from '../../payment-provider.ts';
import { tryParseJson } from '../../payment-vendor-payloads.ts';
import { decryptResource, encryptedResource, type PlatformKeys, verifyPlatformSignature } from './platform-keys.ts';
import type { WxpayConfig } from './read-config.ts';
import { REFUND_ABNORMAL, REFUND_CLOSED } from './wxpay-refunds.ts';

const envelope = z.object({
  event_type: z.string(),
  resource_type: z.literal('encrypt-resource'),
  resource: encryptedResource,
});
const number = z.string().min(1).max(64);
const transaction = z.object({
  appid: z.string(),
  mchid: z.string(),
  out_trade_no: number,
  transaction_id: number,
  trade_state: z.string(),
  amount: z.object({ total: z.int().min(1), currency: z.string().default('CNY') }),
});
const refund = z.object({
  mchid: z.string(),
  out_trade_no: number,
  transaction_id: number.optional(),
  out_refund_no: number,
  refund_id: number,
  refund_status: z.string(),
  amount: z.object({ refund: z.int().min(1) }),
});

export async function readWxpayWebhook(
  { method, headers, body }: WebhookRequest,
  config: WxpayConfig,
  keys: PlatformKeys,
  { clock }: ProviderEnvironment,
): Promise<WebhookEvent | undefined> {
  if (method !== 'POST') throw new InvalidWebhookError('The request method is not POST');
  const fault = await verifyPlatformSignature(headers, body, (serial) => keys.find(serial), clock);
  if (fault !== undefined) throw new InvalidWebhookError(`The event could not be verified: ${fault}`);
  const read = envelope.safeParse(tryParseJson(body.toString('utf8')));
  if (!read.success) throw new InvalidWebhookError('The signed content is not a webhook event');
  const { event_type: type, resource } = read.data;
  if (type !== 'TRANSACTION.SUCCESS' && !type.startsWith('REFUND.')) return undefined;
  const content = decryptResource(resource, config.apiKey);
  if (content === undefined) throw new InvalidWebhookError('The APIv3 key cannot decrypt the event');
  return type === 'TRANSACTION.SUCCESS' ? readPayment(content, config) : readRefund(content, config);
}

function readPayment(content: string, config: WxpayConfig): WebhookEvent | undefined {
  const { appid, mchid, out_trade_no: tradeNo, ...facts } = parseContent(transaction, content);
  if (mchid !== config.mchId || appid !== config.appId)
    throw new InvalidWebhookError('The event is for another merchant');
  if (facts.trade_state !== 'SUCCESS') return undefined;
  const { total: amount, currency } = facts.amount;
  return { what: 'paid', tradeNo, providerNo: facts.transaction_id, amount, currency };
}

function readRefund(content: string, config: WxpayConfig): WebhookEvent | undefined {
  const { mchid, out_trade_no: tradeNo, ...facts } = parseContent(refund, content);
  if (mchid !== config.mchId) throw new InvalidWebhookError('The event is for another merchant');
  const { out_refund_no: refundNo, refund_id: providerRefundNo, transaction_id: paymentNo } = facts;
  const common = { tradeNo, refundNo, providerRefundNo, amount: facts.amount.refund, paymentNo };
  switch (facts.refund_status) {
    case 'SUCCESS':
      return { what: 'refunded', ...common };
    case 'CLOSED':
      return { what: 'refund-failed', ...common, reason: REFUND_CLOSED };
    case 'ABNORMAL':
      return { what: 'refund-unclear', ...common, reason: REFUND_ABNORMAL };
    default:
      return undefined;
  }
}

function parseContent<S extends z.ZodType>(schema: S, content: string): z.output<S> {
  const read = schema.safeParse(tryParseJson(content));
  if (!read.success) throw new InvalidWebhookError('The event has an undocumented format');
  return read.data;
}
