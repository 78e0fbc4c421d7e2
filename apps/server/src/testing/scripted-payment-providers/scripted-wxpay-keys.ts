/** Signing keys of WeChat Pay, which change: https://pay.weixin.qq.com/doc/v3/merchant/4012551764 */
import { createCipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { formatChinaTime } from '../../billing/payment-integrations/payment-vendor-payloads.ts';
import { signSha256, verifySha256 } from '../../billing/payment-integrations/rsa-signatures.ts';
import { createRsaCertificate } from '../self-signed-certificates.ts';
import { generateRsaKeys } from './rsa-keys.ts';
import type { SentWebhook, SigningKey, WebhookFields } from './scripted-provider.ts';

export type SigningMethod = 'certificate' | 'public-key' | 'new-certificate';

export interface WxpayPlatform {
  publicKeyConfig: Record<'platform_public_key_id' | 'platform_public_key', string>;
  setSigningKey(key: SigningMethod): void;
  /** Returns the headers of a response. @param askedFor the key that the merchant names */
  signResponse(body: string, askedFor: string): Record<string, string>;
  buildWebhook(to: string, type: string, content: WebhookFields, key?: SigningKey): SentWebhook;
  /** Returns its certificates, encrypted. */
  certificates(): object;
}

/** @param now UTC milliseconds */
export function createWxpayPlatform(apiKey: string, now: () => number): WxpayPlatform {
  const other = generateRsaKeys();
  const publicKey = { id: `PUB_KEY_ID_0119000001092026112100${randomBytes(4).toString('hex')}`, ...generateRsaKeys() };
  const known = [createCertificate()];
  let byPublicKey = false;
  const signer = (askedFor: string) => {
    if (byPublicKey || askedFor === publicKey.id) return { serial: publicKey.id, key: publicKey.privateKey };
    const newest = known.at(-1) ?? createCertificate();
    return { serial: newest.serial, key: newest.privateKey };
  };
  const headersOf = (body: string, by: Parameters<typeof signHeaders>[1]) =>
    signHeaders(body, by, Math.floor(now() / 1000));
  return {
    publicKeyConfig: { platform_public_key_id: publicKey.id, platform_public_key: publicKey.publicPem },
    setSigningKey(key) {
      byPublicKey = key === 'public-key';
      if (key === 'new-certificate') known.push(createCertificate());
    },
    signResponse: (body, askedFor) => headersOf(body, signer(askedFor)),
    buildWebhook(to, type, content, key = 'true') {
      const body = buildWebhookBody(type, content, apiKey, now());
      const { serial, key: trueKey } = signer('');
      const keys = { true: trueKey, other: other.privateKey, empty: undefined };
      return { method: 'POST', url: to, headers: headersOf(body, { serial, key: keys[key] }), body };
    },
    certificates: () => ({
      data: known.map(({ serial, pem }) => ({
        serial_no: serial,
        encrypt_certificate: encryptResource(pem, apiKey, 'certificate'),
      })),
    }),
  };
}

function buildWebhookBody(type: string, content: WebhookFields, apiKey: string, now: number): string {
  const about = type.startsWith('REFUND') ? 'refund' : 'transaction';
  return JSON.stringify({
    id: `EV-${randomBytes(8).toString('hex')}`,
    create_time: `${formatChinaTime(now)}+08:00`,
    resource_type: 'encrypt-resource',
    event_type: type,
    summary: about === 'refund' ? '退款成功' : '支付成功',
    resource: { original_type: about, ...encryptResource(JSON.stringify(content), apiKey, about) },
  });
}

function createCertificate() {
  const keys = generateRsaKeys();
  const serial = `7${randomBytes(20).toString('hex').slice(1)}`.toUpperCase();
  return { ...keys, serial, pem: createRsaCertificate(keys, 'Tenpay.com Root CA', serial) };
}

/** Encrypts like WeChat Pay: https://pay.weixin.qq.com/doc/v3/merchant/4012071382 */
export function encryptResource(content: string, apiKey: string, bound: string): Record<string, string> {
  const nonce = randomBytes(6).toString('hex');
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(apiKey), Buffer.from(nonce)).setAAD(Buffer.from(bound));
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { algorithm: 'AEAD_AES_256_GCM', ciphertext: sealed.toString('base64'), associated_data: bound, nonce };
}

/** Signs like WeChat Pay: https://pay.weixin.qq.com/doc/v3/merchant/4012365342 @param seconds UTC */
function signHeaders(
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
