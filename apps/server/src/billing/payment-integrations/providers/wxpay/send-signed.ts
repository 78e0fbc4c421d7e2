/** WECHATPAY2-SHA256-RSA2048: https://pay.weixin.qq.com/doc/v3/merchant/4012365336 */
import { randomBytes } from 'node:crypto';
import { nowSeconds } from '../../../../platform/clock.ts';
import type { ProviderEnvironment } from '../../payment-provider.ts';
import { signSha256 } from '../../rsa-signatures.ts';
import type { WxpayConfig } from './read-config.ts';

export interface RawResponse {
  status: number;
  /** Headers by names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** @param target path and query */
export type SendSigned = (method: 'GET' | 'POST', target: string, body?: object) => Promise<RawResponse>;

const HOST = 'https://api.mch.weixin.qq.com';

export function createSendSigned(
  { mchId, serial, privateKey, platformKey }: WxpayConfig,
  environment: ProviderEnvironment,
): SendSigned {
  return async (method, target, content) => {
    const body = content === undefined ? '' : JSON.stringify(content);
    const timestamp = String(nowSeconds(environment.clock));
    const nonce = randomBytes(16).toString('hex');
    const signature = signSha256(`${[method, target, timestamp, nonce, body].join('\n')}\n`, privateKey);
    const parts = { mchid: mchId, nonce_str: nonce, signature, timestamp, serial_no: serial };
    const joined = Object.entries(parts).map(([name, value]) => `${name}="${value}"`);
    const answer = await environment.fetch(`${HOST}${target}`, {
      method,
      headers: {
        authorization: `WECHATPAY2-SHA256-RSA2048 ${joined.join(',')}`,
        accept: 'application/json',
        'content-type': 'application/json',
        'user-agent': 'Switchyard',
        // Makes WeChat Pay sign responses by this key, also while a merchant migrates from certificates to it.
        ...(platformKey === undefined ? {} : { 'wechatpay-serial': platformKey.id }),
      },
      redirect: 'error',
      ...(content === undefined ? {} : { body }),
    });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() };
  };
}
