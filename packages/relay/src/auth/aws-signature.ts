/**
 * Signature version 4 of AWS: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { UnsignedCall } from '../model/provider.ts';

export interface AwsCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Session token of temporary credentials; empty for permanent ones. */
  sessionToken: string;
  region: string;
  service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Returns the headers that sign a call. The content type is not signed, because proxies may complete it. @param at
 * UTC ms
 */
export function signAwsRequest(call: UnsignedCall, account: AwsCredentials, at: number): Record<string, string> {
  const { host, pathname, searchParams } = new URL(call.url);
  const time = new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const bodyHash = sha256(call.body);
  const signed = {
    host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
    ...(account.sessionToken === '' ? {} : { 'x-amz-security-token': account.sessionToken }),
  };
  const names = Object.keys(signed).join(';');
  const canonical = [
    call.method,
    pathname.split('/').map(encodeSegment).join('/'),
    canonicalQuery(searchParams),
    ...Object.entries(signed).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    bodyHash,
  ].join('\n');
  const scope = `${day}/${account.region}/${account.service}/aws4_request`;
  const text = [ALGORITHM, time, scope, sha256(canonical)].join('\n');
  const key = [day, account.region, account.service, 'aws4_request'].reduce<string | Buffer>(
    (key, part) => hmac(key, part),
    `AWS4${account.secretAccessKey}`,
  );
  const { host: _host, ...sent } = signed;
  const credential = `Credential=${account.accessKeyId}/${scope}`;
  const signature = hmac(key, text).toString('hex');
  return { ...sent, authorization: `${ALGORITHM} ${credential}, SignedHeaders=${names}, Signature=${signature}` };
}

/** Encodes a segment again, as all services but S3 require. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encodeSegment(name)}=${encodeSegment(value)}`)
    .toSorted()
    .join('&');
}

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
