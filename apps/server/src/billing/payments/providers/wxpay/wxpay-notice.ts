/** Payments: https://pay.weixin.qq.com/doc/v3/merchant/4012791861, refunds: https://pay.weixin.qq.com/doc/v3/merchant/4012791865 */
import { z } from 'zod';
import { type Notice, type NoticeEvent, NoticeRefused, type ProcessorWorld } from '../../payment-provider.ts';
import { parsedJson } from '../../read-response.ts';
import { openResource, sealedResource } from './open-resource.ts';
import type { PlatformKeys } from './platform-keys.ts';
import { signatureFault } from './platform-signature.ts';
import type { WxpayConfig } from './read-config.ts';
import { refundAbnormal, refundClosed } from './wxpay-refunds.ts';

const envelope = z.object({
  event_type: z.string(),
  resource_type: z.literal('encrypt-resource'),
  resource: sealedResource,
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
  out_refund_no: number,
  refund_id: number,
  refund_status: z.string(),
  amount: z.object({ refund: z.int().min(1) }),
});

export async function readWxpayNotice(
  { method, headers, body }: Notice,
  config: WxpayConfig,
  keys: PlatformKeys,
  { clock }: ProcessorWorld,
): Promise<NoticeEvent | undefined> {
  if (method !== 'POST') throw new NoticeRefused('The request method is not POST');
  const fault = await signatureFault(headers, body, (serial) => keys.find(serial), clock);
  if (fault !== undefined) throw new NoticeRefused(`The event could not be verified: ${fault}`);
  const read = envelope.safeParse(parsedJson(body.toString('utf8')));
  if (!read.success) throw new NoticeRefused('The signed content is not a webhook event');
  const { event_type: type, resource } = read.data;
  if (type !== 'TRANSACTION.SUCCESS' && !type.startsWith('REFUND.')) return undefined;
  const content = openResource(resource, config.apiKey);
  if (content === undefined) throw new NoticeRefused('The APIv3 key cannot decrypt the event');
  return type === 'TRANSACTION.SUCCESS' ? paid(content, config) : refunded(content, config);
}

function paid(content: string, config: WxpayConfig): NoticeEvent | undefined {
  const { appid, mchid, out_trade_no: tradeNo, ...facts } = known(transaction, content);
  if (mchid !== config.mchId || appid !== config.appId)
    throw new NoticeRefused('The event is for another merchant');
  if (facts.trade_state !== 'SUCCESS') return undefined;
  const { total: amount, currency } = facts.amount;
  return { what: 'paid', tradeNo, processorNo: facts.transaction_id, amount, currency };
}

function refunded(content: string, config: WxpayConfig): NoticeEvent | undefined {
  const { mchid, out_trade_no: tradeNo, ...facts } = known(refund, content);
  if (mchid !== config.mchId) throw new NoticeRefused('The event is for another merchant');
  const { out_refund_no: refundNo, refund_id: processorRefundNo } = facts;
  const common = { tradeNo, refundNo, processorRefundNo, amount: facts.amount.refund };
  switch (facts.refund_status) {
    case 'SUCCESS':
      return { what: 'refunded', ...common };
    case 'CLOSED':
      return { what: 'refund-failed', ...common, reason: refundClosed };
    case 'ABNORMAL':
      return { what: 'refund-unclear', ...common, reason: refundAbnormal };
    default:
      return undefined;
  }
}

function known<S extends z.ZodType>(schema: S, content: string): z.output<S> {
  const read = schema.safeParse(parsedJson(content));
  if (!read.success) throw new NoticeRefused('The event has an undocumented format');
  return read.data;
}
