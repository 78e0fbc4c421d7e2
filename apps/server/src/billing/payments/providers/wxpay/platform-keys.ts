/**
 * Keys by which WeChat Pay signs: the public key of the configuration, or a platform certificate, which is rotated.
 * https://pay.weixin.qq.com/doc/v3/merchant/4012551764
 */
import { type KeyObject, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../../platform/clock.ts';
import { PaymentProviderError } from '../../payment-provider.ts';
import { parseJsonText } from '../../read-response.ts';
import { decryptResource, encryptedResource } from './open-resource.ts';
import { verifyPlatformSignature } from './platform-signature.ts';
import type { WxpayConfig } from './read-config.ts';
import type { SendSigned } from './send-signed.ts';

export interface PlatformKeys {
  /**
   * Resolves with undefined for a serial number that WeChat Pay does not know, or while refreshes are paused.
   * @throws Error when the certificates could not be fetched
   */
  find(serial: string): Promise<KeyObject | undefined>;
  /** Fetches the certificates, if signatures are verified by them. @throws PaymentProviderError */
  check(): Promise<void>;
}

/** Anyone can send an event with an unknown serial number, so refreshes are limited. */
const REFRESH_INTERVAL_MS = 60_000;
const RETRY_INTERVAL_MS = 5_000;

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
