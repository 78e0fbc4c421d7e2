import { createHash, createHmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import { expect, test } from 'vitest';
import { signAwsRequest } from './aws-signature.ts';

const account = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  sessionToken: '',
  region: 'eu-west-1',
  service: 'bedrock',
};
const AT = Date.UTC(2026, 10, 21, 19, 30, 15, 250);

/** What Smithy's client wants of a hash. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }
  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
  reset(): void {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : Buffer.from(data);
}

async function signedByAmazon(
  method: 'GET' | 'POST',
  url: string,
  body: string,
  own: typeof account,
): Promise<Record<string, string>> {
  const { hostname, pathname, searchParams, protocol } = new URL(url);
  const { accessKeyId, secretAccessKey, sessionToken, region, service } = own;
  const signer = new SignatureV4({
    credentials: { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) },
    region,
    service,
    sha256: Sha256,
  });
  const { headers } = await signer.sign(
    {
      method,
      protocol,
      hostname,
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { host: hostname },
      body,
    },
    { signingDate: new Date(AT) },
  );
  const { host: _host, ...sent } = headers;
  return sent;
}

test.each([
  [
    'POST',
    'https://bedrock-runtime.eu-west-1.amazonaws.com/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke',
    '{"a":"ü"}',
    '',
  ],
  [
    'POST',
    'https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%2Fx/converse-stream',
    '{}',
    'a/session+token=',
  ],
  ['GET', 'https://bedrock.eu-west-1.amazonaws.com/foundation-models?byProvider=a%20b&x=(1)*', '', ''],
] as const)('signs a %s of %s like Amazon’s own client', async (method, url, body, sessionToken) => {
  const own = { ...account, sessionToken };
  const signed = signAwsRequest({ method, url, body: Buffer.from(body) }, own, AT);
  expect(signed).toEqual(await signedByAmazon(method, url, body, own));
});
