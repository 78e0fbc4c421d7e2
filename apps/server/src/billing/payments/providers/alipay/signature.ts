/**
 * RSA2 signatures of parameters: https://opendocs.alipay.com/common/02khjm (requests),
 * https://opendocs.alipay.com/common/02mse7 (notifications)
 */
import type { KeyObject } from 'node:crypto';
import { signSha256, verifySha256 } from '../../rsa.ts';

/** @returns the non-empty parameters, with their signature */
export function signParams(params: Readonly<Record<string, string>>, key: KeyObject): Readonly<Record<string, string>> {
  const sent = Object.entries(params).filter(([, value]) => value !== '');
  return { ...Object.fromEntries(sent), sign: signSha256(joinParams(sent), key) };
}

/**
 * Verifies the signature of a notification, which covers all parameters except the signature and its type. Only RSA2
 * is accepted.
 */
export function isSignedWebhook(params: ReadonlyMap<string, string>, key: KeyObject): boolean {
  const signed = [...params].filter(([name]) => name !== 'sign' && name !== 'sign_type');
  const sign = params.get('sign') ?? '';
  return params.get('sign_type') === 'RSA2' && verifySha256(joinParams(signed), sign, key);
}

function joinParams(params: readonly (readonly [string, string])[]): string {
  return params
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}
