/**
 * Payments in WeChat's browser (JSAPI) need the payer's id: the buyer opens a payment link, WeChat redirects them
 * back with a code, the code yields the id, and the order is opened for it.
 * https://developers.weixin.qq.com/doc/offiaccount/OA_Web_Apps/Wechat_webpage_authorization.html
 */
import { z } from 'zod';
import { wechatPayTexts } from '../../../../locales/server-texts.ts';
import { nowSeconds } from '../../../../platform/clock.ts';
import { deriveKey, openBox, sealBox } from '../../../../platform/secrets/sealed-box.ts';
import {
  type BuyerPage,
  type NewProviderOrder,
  PaymentProviderError,
  type ProviderEnvironment,
  type WebhookRequest,
} from '../../payment-provider.ts';
import { readJsonResponse, tryParseJson } from '../../payment-vendor-payloads.ts';
import { payerLanguage, renderMessagePage, renderPaymentPage } from './jsapi-payment-page.ts';
import type { WxpayConfig } from './read-config.ts';
import { buildOrderBody, type WxpayApi } from './wxpay-api.ts';

/** Name of the query parameter. */
const LINK_PARAM = 'pay';
const BOX = 'wxpay-payer-link';

const prepayResponse = z.object({ prepay_id: z.string().min(1) });
const openIdResponse = z.union([z.object({ openid: z.string().min(1) }), z.object({ errcode: z.int() })]);
/** Errors for used or expired codes; a new code helps. */
const staleCodes = new Set([40029, 40163, 42003]);

/** @returns undefined for a request without a payment link */
export async function showPayerPage(
  { method, query, headers }: WebhookRequest,
  config: WxpayConfig,
  api: WxpayApi,
  environment: ProviderEnvironment,
): Promise<BuyerPage | undefined> {
  const sealed = query.get(LINK_PARAM);
  if (method !== 'GET' || sealed === null) return undefined;
  const language = payerLanguage(headers['accept-language']);
  const texts = wechatPayTexts[language];
  const order = readPayerLink(sealed, config.apiKey);
  const now = nowSeconds(environment.clock);
  if (order === undefined || order.expiresAt <= now) return renderMessagePage(410, texts.expired, language);
  try {
    const code = query.get('code');
    const openId = code === null ? undefined : await fetchOpenId(code, config, environment);
    if (openId === undefined) return redirectToWechat(sealed, config, environment);
    const { prepay_id: prepayId } = await api.post(
      '/v3/pay/transactions/jsapi',
      { ...buildOrderBody(order, config, environment), payer: { openid: openId } },
      prepayResponse,
    );
    const { appId, privateKey } = config;
    return renderPaymentPage({ appId, prepayId, privateKey, now, returnUrl: order.returnUrl }, language);
  } catch (error) {
    const page =
      error instanceof PaymentProviderError
        ? renderMessagePage(409, `${texts.refused} ${error.message}`, language)
        : renderMessagePage(502, texts.failed, language);
    return { ...page, failure: error };
  }
}

function redirectToWechat(sealed: string, { appId }: WxpayConfig, { notifyUrl }: ProviderEnvironment): BuyerPage {
  const back = new URL(notifyUrl);
  back.searchParams.set(LINK_PARAM, sealed);
  // WeChat's documentation requires this order.
  const query = new URLSearchParams({
    appid: appId,
    redirect_uri: back.href,
    response_type: 'code',
    scope: 'snsapi_base',
    state: 'pay',
  });
  const location = `https://open.weixin.qq.com/connect/oauth2/authorize?${query.toString()}#wechat_redirect`;
  return { status: 302, headers: { location, 'cache-control': 'no-store' }, body: '' };
}

/**
 * Resolves with the payer's id; undefined when the code is no longer valid. The access token in the response is not
 * used.
 */
async function fetchOpenId(
  code: string,
  { appId, appSecret }: WxpayConfig,
  environment: ProviderEnvironment,
): Promise<string | undefined> {
  const query = new URLSearchParams({ appid: appId, secret: appSecret, code, grant_type: 'authorization_code' });
  const address = `https://api.weixin.qq.com/sns/oauth2/access_token?${query.toString()}`;
  const answer = await readJsonResponse(await environment.fetch(address, { redirect: 'error' }), openIdResponse);
  if ('openid' in answer) return answer.openid;
  if (staleCodes.has(answer.errcode)) return undefined;
  throw new PaymentProviderError(`WeChat did not identify the payer (${answer.errcode})`);
}

const linkedOrder = z.object({
  tradeNo: z.string(),
  description: z.string(),
  amount: z.int(),
  expiresAt: z.int(),
  returnUrl: z.string(),
});
type LinkedOrder = z.output<typeof linkedOrder>;

/** Returns a link with the order, sealed so that it cannot be changed. */
export function createPayerLink(notifyUrl: string, order: NewProviderOrder, apiKey: Buffer): string {
  const { tradeNo, description, amount, expiresAt, returnUrl } = order;
  const content = JSON.stringify({ tradeNo, description, amount, expiresAt, returnUrl });
  const link = new URL(notifyUrl);
  link.searchParams.set(LINK_PARAM, sealBox(deriveKey(apiKey, BOX), BOX, Buffer.from(content)));
  return link.href;
}

/** Returns undefined when it is not a genuine link. */
function readPayerLink(sealed: string, apiKey: Buffer): LinkedOrder | undefined {
  try {
    const content = openBox(deriveKey(apiKey, BOX), BOX, sealed).toString('utf8');
    return linkedOrder.safeParse(tryParseJson(content)).data;
  } catch {
    return undefined;
  }
}
