/** Signatures of responses and webhook events: https://pay.weixin.qq.com/doc/v3/merchant/4012365342 */
import type { KeyObject } from 'node:crypto';
import { type Clock, nowSeconds } from '../../../../platform/clock.ts';
import { verifySha256 } from '../../rsa.ts';

/** Seconds, either way. */
const TOLERANCE = 300;

/** @returns what is wrong with it; undefined for a true one */
export async function signatureFault(
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
  keyOf: (serial: string) => Promise<KeyObject | undefined>,
  clock: Clock,
): Promise<string | undefined> {
  const of = (name: string): string => headers[`wechatpay-${name}`] ?? '';
  const [timestamp, nonce, signature, serial] = [of('timestamp'), of('nonce'), of('signature'), of('serial')];
  if (signature === '' || serial === '' || nonce === '') return 'it is not signed';
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowSeconds(clock) - Number(timestamp)) > TOLERANCE)
    return 'it was not signed just now';
  if ((headers['wechatpay-signature-type'] ?? 'WECHATPAY2-SHA256-RSA2048') !== 'WECHATPAY2-SHA256-RSA2048')
    return 'it is signed in another way';
  const key = await keyOf(serial);
  if (key === undefined) return 'it is signed by nobody known';
  const signed = Buffer.concat([
    Buffer.from(`${timestamp}\n${nonce}\n`),
    Buffer.from(body),
    Buffer.from('\n'),
  ]);
  return verifySha256(signed, signature, key) ? undefined : 'its signature is wrong';
}
