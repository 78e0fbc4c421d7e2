/**
 * Keys by which WeChat Pay signs: the public key of the configuration, or a platform certificate, which is rotated.
 * https://pay.weixin.qq.com/doc/v3/merchant/4012551764
 */
import { createDecipheriv, type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { type Clock, nowSeconds } from '../../../../platform/clock.ts';
import { PaymentProviderError } from '../../payment-provider.ts';
import { parseJsonText } from '../../payment-vendor-payloads.ts';
import { verifySha256 } from '../../rsa-signatures.ts';
import type { WxpayConfig } from './read-config.ts';
import type { SendSigned } from './send-signed.ts';

const TAG_BYTES = 16;
/** Anyone can send an event with an unknown serial number, so refreshes are limited. */
const REFRESH_INTERVAL_MS = 60_000;
const RETRY_INTERVAL_MS = 5_000;
/** Maximum clock difference in seconds. */
const TOLERANCE = 300;

export const encryptedResource = z.object({
  algorithm: z.literal('AEAD_AES_256_GCM'),
  nonce: z.string(),
  associated_data: z.string().nullish(),
  ciphertext: z.string(),
});
type EncryptedResource = z.output<typeof encryptedResource>;

/**
 * Decrypts with the APIv3 key: https://pay.weixin.qq.com/doc/v3/merchant/4012071382
 * @returns undefined when it was encrypted with another key, or was changed
 */
export function decryptResource(
  { nonce, associated_data: bound, ciphertext }: EncryptedResource,
  key: Buffer,
): string | undefined {
  const bytes = Buffer.from(ciphertext, 'base64');
  if (bytes.length < TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce), { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(bound ?? ''))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

export interface PlatformKeys {
  /**
   * Resolves with undefined for a serial number that WeChat Pay does not know, or while refreshes are paused.
   * @throws Error when the certificates could not be fetched
   */
  find(serial: string): Promise<KeyObject | undefined>;
  /** Fetches the certificates, if signatures are verified by them. @throws PaymentProviderError */
  check(): Promise<void>;
}

const certificates = z.object({
  data: z.array(z.object({ serial_no: z.string(), encrypt_certificate: encryptedResource })).min(1),
});

export function createPlatformKeys({ apiKey, platformKey }: WxpayConfig, send: SendSigned, clock: Clock): PlatformKeys {
  let known = new Map<string, X509Certificate>();
  let pausesUntil = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const configured = (serial: string) => (platformKey?.id === serial ? platformKey.key : undefined);
  const fetchAll = async (): Promise<void> => {
    const answer = await send('GET', '/v3/certificates');
    if (answer.status === 401) throw new PaymentProviderError('WeChat Pay rejected this merchant or its certificate');
    if (answer.status !== 200) throw new Error(`WeChat Pay returned no certificates, but status ${answer.status}`);
    const fetched = new Map<string, X509Certificate>();
    for (const { serial_no: serial, encrypt_certificate: sealed } of parseJsonText(answer.text, certificates).data) {
      const pem = decryptResource(sealed, apiKey);
      if (pem === undefined) throw new PaymentProviderError('The APIv3 key cannot decrypt the data of WeChat Pay');
      fetched.set(serial, new X509Certificate(pem));
    }
    const keyOf = async (serial: string) => configured(serial) ?? toValidKey(fetched.get(serial), clock);
    const fault = await verifyPlatformSignature(answer.headers, answer.text, keyOf, clock);
    if (fault !== undefined) throw new Error(`The certificates could not be verified: ${fault}`);
    known = fetched;
  };
  const refresh = (): Promise<void> => {
    pausesUntil = clock.elapsed() + RETRY_INTERVAL_MS;
    asking ??= fetchAll()
      .then(() => {
        pausesUntil = clock.elapsed() + REFRESH_INTERVAL_MS;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  };

  return {
    async find(serial) {
      const found = configured(serial) ?? toValidKey(known.get(serial), clock);
      if (found !== undefined) return found;
      // Concurrent callers wait for a running refresh.
      if (asking === undefined && clock.elapsed() < pausesUntil) return undefined;
      await refresh();
      return toValidKey(known.get(serial), clock);
    },
    async check() {
      if (platformKey === undefined) await refresh();
    },
  };
}

function toValidKey(certificate: X509Certificate | undefined, clock: Clock): KeyObject | undefined {
  if (certificate === undefined) return undefined;
  const now = clock.now();
  const inTime = now >= Date.parse(certificate.validFrom) && now <= Date.parse(certificate.validTo);
  return inTime && certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate.publicKey : undefined;
}

/**
 * Verifies a response or a webhook event: https://pay.weixin.qq.com/doc/v3/merchant/4012365342
 * @returns the error; undefined for a valid signature
 */
export async function verifyPlatformSignature(
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  keyOf: (serial: string) => Promise<KeyObject | undefined>,
  clock: Clock,
): Promise<string | undefined> {
  const of = (name: string): string => headers[`wechatpay-${name}`] ?? '';
  const [timestamp, nonce, signature, serial] = [of('timestamp'), of('nonce'), of('signature'), of('serial')];
  if (signature === '' || serial === '' || nonce === '') return 'there is no signature';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds(clock) - Number(timestamp)) > TOLERANCE)
    return 'the timestamp of the signature is too old or in the future';
  if ((headers['wechatpay-signature-type'] ?? 'WECHATPAY2-SHA256-RSA2048') !== 'WECHATPAY2-SHA256-RSA2048')
    return 'the signature type is not supported';
  const key = await keyOf(serial);
  if (key === undefined) return 'the signing key is unknown';
  const signed = Buffer.concat([Buffer.from(`${timestamp}\n${nonce}\n`), Buffer.from(body), Buffer.from('\n')]);
  return verifySha256(signed, signature, key) ? undefined : 'the signature is invalid';
}
