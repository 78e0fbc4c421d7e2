import { createHash } from 'node:crypto';

/** MD5 of all parameters that say something, in the order of their names, with the key at the end. */
export function signEpayParams(params: Iterable<readonly [string, string]>, key: string): string {
  const signed = [...params]
    .filter(([name, value]) => name !== 'sign' && name !== 'sign_type' && value !== '')
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
  return createHash('md5').update(`${signed}${key}`).digest('hex');
}
