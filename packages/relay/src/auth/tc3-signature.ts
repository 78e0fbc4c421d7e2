/** Signature 3 of Tencent Cloud: https://cloud.tencent.com/document/api/1729/101843 */
import { createHash, createHmac } from 'node:crypto';
import type { UnsignedCall } from '../model/provider.ts';

export interface Tc3Credentials {
  secretId: string;
  secretKey: string;
  service: string;
}

const ALGORITHM = 'TC3-HMAC-SHA256';

/** Returns the headers that sign a POST, including its content type. @param at UTC ms */
export function signTc3Request(
  call: UnsignedCall,
  { secretId, secretKey, service }: Tc3Credentials,
  contentType: string,
  at: number,
): Record<string, string> {
  const { host, pathname } = new URL(call.url);
  const seconds = Math.floor(at / 1000);
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  const names = 'content-type;host';
  const canonical = [
    call.method,
    pathname,
    '',
    `content-type:${contentType}`,
    `host:${host}`,
    '',
    names,
    sha256(call.body),
  ].join('\n');
  const scope = `${day}/${service}/tc3_request`;
  const text = [ALGORITHM, seconds, scope, sha256(canonical)].join('\n');
  const key = [day, service, 'tc3_request'].reduce<string | Buffer>((key, part) => hmac(key, part), `TC3${secretKey}`);
  const signature = hmac(key, text).toString('hex');
  return {
    authorization: `${ALGORITHM} Credential=${secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
    'x-tc-timestamp': String(seconds),
  };
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
