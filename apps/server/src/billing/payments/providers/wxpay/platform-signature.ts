/** Signatures of responses and webhook events: https://pay.weixin.qq.com/doc/v3/merchant/4012365342 */
import type { KeyObject } from 'node:crypto';
import { type Clock, nowSeconds } from '../../../../platform/clock.ts';
import { verifySha256 } from '../../rsa.ts';

/** Maximum clock difference in seconds. */
const TOLERANCE = 300;

/** @returns the error; undefined for a valid signature */
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
