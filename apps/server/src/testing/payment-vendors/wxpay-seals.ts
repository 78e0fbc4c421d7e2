/** Signs and encrypts like WeChat Pay: https://pay.weixin.qq.com/doc/v3/merchant/4012365342 */
import { createCipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { signSha256, verifySha256 } from '../../billing/payments/rsa.ts';

export function encryptResource(content: string, apiKey: string, bound: string): Record<string, string> {
  const nonce = randomBytes(6).toString('hex');
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(apiKey), Buffer.from(nonce)).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { algorithm: 'AEAD_AES_256_GCM', ciphertext: sealed.toString('base64'), associated_data: bound, nonce };
}

/** @param seconds UTC */
export function signHeaders(
  body: string,
  by: { serial: string; key: KeyObject | undefined },
  seconds: number,
): Record<string, string> {
  const [timestamp, nonce] = [String(seconds), randomBytes(16).toString('hex')];
  return {
    'content-type': 'application/json; charset=utf-8',
    'wechatpay-serial': by.serial,
    'wechatpay-timestamp': timestamp,
    'wechatpay-nonce': nonce,
    'wechatpay-signature': by.key === undefined ? '' : signSha256(`${timestamp}\n${nonce}\n${body}\n`, by.key),
    'wechatpay-signature-type': 'WECHATPAY2-SHA256-RSA2048',
  };
}

/** Returns whether a merchant's call has a valid signature. */
export function isSignedCall(
  { method, target, body, authorization }: Record<'method' | 'target' | 'body' | 'authorization', string>,
  merchant: { mchId: string; serial: string; key: KeyObject },
): boolean {
  const [, list = ''] = /^WECHATPAY2-SHA256-RSA2048 (.+)$/.exec(authorization) ?? [];
  const parts = new Map([...list.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]));
  const of = (name: string): string => parts.get(name) ?? '';
  const signed = `${[method, target, of('timestamp'), of('nonce_str'), body].join('\n')}\n`;
  return (
    of('mchid') === merchant.mchId &&
    of('serial_no') === merchant.serial &&
    verifySha256(signed, of('signature'), merchant.key)
  );
}
