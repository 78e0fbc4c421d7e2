/**
 * WeChat Pay, API v3: Native https://pay.weixin.qq.com/doc/v3/merchant/4012791877, H5
 * https://pay.weixin.qq.com/doc/v3/merchant/4012791834, queries https://pay.weixin.qq.com/doc/v3/merchant/4012791880,
 * closing https://pay.weixin.qq.com/doc/v3/merchant/4012791881
 */
import { z } from 'zod';
import type {
  NewProviderOrder,
  PaymentMethod,
  PaymentProviderDefinition,
  PaymentState,
  ProviderEnvironment,
} from '../../payment-provider.ts';
import { sanitizeVendorMessage } from '../../payment-vendor-payloads.ts';
import { createPayerLink, showPayerPage } from './jsapi-authorization.ts';
import { createPlatformKeys } from './platform-keys.ts';
import { readWxpayConfig, type WxpayConfig } from './read-config.ts';
import { createSendSigned } from './send-signed.ts';
import { buildOrderBody, createWxpayApi, type WxpayApi, WxpayError } from './wxpay-api.ts';
import { createWxpayRefunds } from './wxpay-refunds.ts';
import { readWxpayWebhook } from './wxpay-webhook.ts';

const nativeAnswer = z.object({ code_url: z.string().min(1) });
const h5Answer = z.object({ h5_url: z.url() });
const tradeAnswer = z.object({
  appid: z.string(),
  mchid: z.string(),
  out_trade_no: z.string(),
  transaction_id: z.string().optional(),
  trade_state: z.string(),
  trade_state_desc: z.string().optional(),
  amount: z.object({ total: z.int().optional(), currency: z.string().default('CNY') }).optional(),
});

/** WeChat Pay uses both spellings. */
const unknownOrderCodes = new Set(['ORDER_NOT_EXIST', 'ORDERNOTEXIST', 'RESOURCE_NOT_EXISTS']);
const closedOrderCodes = new Set([...unknownOrderCodes, 'ORDERPAID', 'ORDER_CLOSED', 'ORDERCLOSED']);

export const wxpay: PaymentProviderDefinition = {
  connect(values, environment) {
    const config = readWxpayConfig(values);
    const send = createSendSigned(config, environment);
    const keys = createPlatformKeys(config, send, environment.clock);
    const api = createWxpayApi(send, keys, environment);
    return {
      openOrder: async (order) => ({
        ref: '',
        paymentMethod: await createPaymentMethod(order, config, api, environment),
      }),
      readWebhook: (webhook) => readWxpayWebhook(webhook, config, keys, environment),
      showPage: (request) => showPayerPage(request, config, api, environment),
      respondToWebhook: (taken) => ({
        status: taken ? 200 : 400,
        contentType: 'application/json',
        body: JSON.stringify(taken ? { code: 'SUCCESS' } : { code: 'FAIL', message: 'rejected' }),
      }),
      pollOrder: ({ tradeNo }) => pollTrade(tradeNo, config, api),
      async closeOrder({ tradeNo }) {
        try {
          await api.post(`${orderPath(tradeNo)}/close`, { mchid: config.mchId }, z.object({}));
        } catch (error) {
          if (!(error instanceof WxpayError) || !closedOrderCodes.has(error.code)) throw error;
        }
      },
      ...createWxpayRefunds(api, environment, async (tradeNo) => (await findTrade(tradeNo, config, api)).trade_state),
      async test() {
        await keys.check();
        await pollTrade('switchyard-test', config, api);
      },
    };
  },
};

async function createPaymentMethod(
  order: NewProviderOrder,
  config: WxpayConfig,
  api: WxpayApi,
  environment: ProviderEnvironment,
): Promise<PaymentMethod> {
  if (config.payType === 'JSAPI') {
    const url = createPayerLink(environment.notifyUrl, order, config.apiKey);
    return order.phone ? { kind: 'page', url, method: 'GET', params: {} } : { kind: 'qr', url };
  }
  const body = buildOrderBody(order, config, environment);
  if (config.payType === 'H5') {
    const scene = { payer_client_ip: order.address, h5_info: { type: 'Wap' } };
    const path = '/v3/pay/transactions/h5';
    const page = new URL((await api.post(path, { ...body, scene_info: scene }, h5Answer)).h5_url);
    page.searchParams.set('redirect_url', order.returnUrl);
    return { kind: 'page', url: page.href, method: 'GET', params: {} };
  }
  const { code_url: url } = await api.post('/v3/pay/transactions/native', body, nativeAnswer);
  return { kind: 'qr', url };
}

function orderPath(tradeNo: string): string {
  return `/v3/pay/transactions/out-trade-no/${encodeURIComponent(tradeNo)}`;
}

/** @throws WxpayError when WeChat Pay doesn't know it; any other error without a clear response */
async function findTrade(
  tradeNo: string,
  { appId, mchId }: WxpayConfig,
  api: WxpayApi,
): Promise<z.output<typeof tradeAnswer>> {
  const trade = await api.get(`${orderPath(tradeNo)}?mchid=${encodeURIComponent(mchId)}`, tradeAnswer);
  if (trade.out_trade_no !== tradeNo || trade.mchid !== mchId || trade.appid !== appId)
    throw new Error('WeChat Pay returned another order than the requested one');
  return trade;
}

async function pollTrade(tradeNo: string, config: WxpayConfig, api: WxpayApi): Promise<PaymentState> {
  try {
    return toPaymentState(await findTrade(tradeNo, config, api));
  } catch (error) {
    if (error instanceof WxpayError && unknownOrderCodes.has(error.code)) return { state: 'unknown' };
    throw error;
  }
}

function toPaymentState(trade: z.output<typeof tradeAnswer>): PaymentState {
  switch (trade.trade_state) {
    case 'SUCCESS':
    case 'REFUND': {
      const { transaction_id: providerNo, amount } = trade;
      if (providerNo === undefined || amount?.total === undefined)
        throw new Error('WeChat Pay did not report the paid amount');
      const state = trade.trade_state === 'SUCCESS' ? 'paid' : 'refunded';
      return { state, providerNo, amount: amount.total, currency: amount.currency };
    }
    case 'CLOSED':
    case 'REVOKED':
      return { state: 'closed' };
    case 'PAYERROR':
      return { state: 'failed', reason: sanitizeVendorMessage(trade.trade_state_desc ?? 'The payment failed', []) };
    default:
      return { state: 'pending' };
  }
}
