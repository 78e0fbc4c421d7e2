/** The keys of WeChat Pay, by which it signs and which change: https://pay.weixin.qq.com/doc/v3/merchant/4012551764 */
import { randomBytes } from 'node:crypto';
import { chinaTime } from '../../billing/payments/china-time.ts';
import { selfSignedByRsa } from '../self-signed.ts';
import { rsaKeys } from './rsa-keys.ts';
import type { NoticeFields, SentNotice, SigningKey } from './scripted-processor.ts';
import { seal, signedHeaders } from './wxpay-seals.ts';

export type PlatformSigning = 'certificate' | 'public-key' | 'new-certificate';

export interface WxpayPlatform {
  byPublicKey: Record<'platform_public_key_id' | 'platform_public_key', string>;
  signBy(key: PlatformSigning): void;
  /** Headers of an answer. @param askedFor the key that the merchant names */
  answerHeaders(body: string, askedFor: string): Record<string, string>;
  notice(to: string, type: string, content: NoticeFields, key?: SigningKey): SentNotice;
  /** Its certificates, sealed. */
  certificates(): object;
}

/** @param now UTC milliseconds */
export function wxpayPlatform(apiKey: string, now: () => number): WxpayPlatform {
  const other = rsaKeys();
  const publicKey = {
    id: `PUB_KEY_ID_0119000001092026112100${randomBytes(4).toString('hex')}`,
    ...rsaKeys(),
  };
  const known = [newCertificate()];
  let byPublicKey = false;
  const signer = (askedFor: string) => {
    if (byPublicKey || askedFor === publicKey.id) return { serial: publicKey.id, key: publicKey.privateKey };
    const newest = known.at(-1) ?? newCertificate();
    return { serial: newest.serial, key: newest.privateKey };
  };
  const headersOf = (body: string, by: Parameters<typeof signedHeaders>[1]) =>
    signedHeaders(body, by, Math.floor(now() / 1000));
  return {
    byPublicKey: { platform_public_key_id: publicKey.id, platform_public_key: publicKey.publicPem },
    signBy(key) {
      byPublicKey = key === 'public-key';
      if (key === 'new-certificate') known.push(newCertificate());
    },
    answerHeaders: (body, askedFor) => headersOf(body, signer(askedFor)),
    notice(to, type, content, key = 'true') {
      const body = noticeBody(type, content, apiKey, now());
      const { serial, key: trueKey } = signer('');
      const keys = { true: trueKey, other: other.privateKey, empty: undefined };
      return { method: 'POST', url: to, headers: headersOf(body, { serial, key: keys[key] }), body };
    },
    certificates: () => ({
      data: known.map(({ serial, pem }) => ({
        serial_no: serial,
        encrypt_certificate: seal(pem, apiKey, 'certificate'),
      })),
    }),
  };
}

function noticeBody(type: string, content: NoticeFields, apiKey: string, now: number): string {
  const about = type.startsWith('REFUND') ? 'refund' : 'transaction';
  return JSON.stringify({
    id: `EV-${randomBytes(8).toString('hex')}`,
    create_time: `${chinaTime(now)}+08:00`,
    resource_type: 'encrypt-resource',
    event_type: type,
    summary: about === 'refund' ? '退款成功' : '支付成功',
    resource: { original_type: about, ...seal(JSON.stringify(content), apiKey, about) },
  });
}

function newCertificate() {
  const keys = rsaKeys();
  const serial = `7${randomBytes(20).toString('hex').slice(1)}`.toUpperCase();
  return { ...keys, serial, pem: selfSignedByRsa(keys, 'Tenpay.com Root CA', serial) };
}
