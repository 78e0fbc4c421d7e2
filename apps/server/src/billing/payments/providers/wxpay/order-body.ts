import type { NewProviderOrder, ProviderEnvironment } from '../../payment-provider.ts';
import { formatChinaTime, truncateToBytes } from '../../vendor-formats.ts';
import type { WxpayConfig } from './read-config.ts';

const DESCRIPTION_MAX_BYTES = 127;

/** Returns the body of the call that opens an order, the same for every way to pay. */
export function buildOrderBody(
  order: Pick<NewProviderOrder, 'tradeNo' | 'description' | 'amount' | 'expiresAt'>,
  { appId, mchId }: WxpayConfig,
  { notifyUrl }: ProviderEnvironment,
) {
  return {
    appid: appId,
    mchid: mchId,
    description: truncateToBytes(order.description, DESCRIPTION_MAX_BYTES),
    out_trade_no: order.tradeNo,
    time_expire: `${formatChinaTime(order.expiresAt * 1000)}+08:00`,
    notify_url: notifyUrl,
    amount: { total: order.amount, currency: 'CNY' },
  };
}
