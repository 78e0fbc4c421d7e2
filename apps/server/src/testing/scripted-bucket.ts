/** Bucket with the S3 API that verifies every signature, and can simulate errors. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../../../tests/listen.ts';

export const bucketKeys = { id: 'AKIDSCRIPTED', secret: 'the/secret+of=a bucket' };
const REGION = 'eu-test-1';

export interface ScriptedBucket {
  url: string;
  /** Settings that store artifacts in this bucket. */
  options: Record<string, string>;
  objects: Map<string, { body: Buffer; type: string }>;
  /** Multipart uploads that were neither completed nor aborted. */
  uploads: Map<string, Buffer[]>;
  /** `PUT /name?query` of each call. */
  asked: string[];
  /** Returns a response that replaces the real one; `silence` never responds. */
  injectFault: ((call: string) => { status: number; body: string } | 'silence' | undefined) | undefined;
  close(): Promise<void>;
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');
const error = (code: string): string =>
  `<?xml version="1.0"?><Error><Code>${code}</Code><Message>It is ${code}.</Message></Error>`;

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function isSigned({ method = '', url = '', headers }: IncomingMessage, body: Buffer): boolean {
  const signed = /Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
    headers.authorization ?? '',
  );
  const [, keyId, day = '', region = '', names = '', signature] = signed ?? [];
  if (keyId !== bucketKeys.id || region !== REGION || headers['x-amz-content-sha256'] !== sha256(body)) return false;
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name])}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const hmac = (key: Buffer | string, part: string): Buffer => createHmac('sha256', key).update(part).digest();
  const key = [day, region, 's3', 'aws4_request'].reduce<Buffer | string>(hmac, `AWS4${bucketKeys.secret}`);
  return hmac(key, text).toString('hex') === signature;
}

export async function startScriptedBucket(): Promise<ScriptedBucket> {
  const objects: ScriptedBucket['objects'] = new Map();
  const uploads: ScriptedBucket['uploads'] = new Map();
  const types = new Map<string, string>();
  const requests: string[] = [];
  let count = 0;

  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const { method = '', url = '', headers } = request;
    const send = (status: number, text: string | Buffer = '', more: Record<string, string> = {}): void =>
      void response.writeHead(status, more).end(text);
    requests.push(`${method} ${url}`);
    const instead = bucket.injectFault?.(`${method} ${url}`);
    if (instead === 'silence') return;
    if (instead !== undefined) return send(instead.status, instead.body);
    if (!isSigned(request, body)) return send(403, error('SignatureDoesNotMatch'));
    const { pathname, searchParams: query } = new URL(url, 'http://bucket');
    const upload = query.get('uploadId') ?? '';
    const parts = uploads.get(upload);
    if (method === 'POST' && query.has('uploads')) {
      count += 1;
      const id = `upload+${count}/=`;
      uploads.set(id, []);
      types.set(id, headers['content-type'] ?? '');
      return send(200, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (upload !== '' && parts === undefined) return send(404, error('NoSuchUpload'));
    if (method === 'PUT' && parts !== undefined) {
      parts[Number(query.get('partNumber')) - 1] = body;
      return send(200, '', { etag: `"${sha256(body)}"` });
    }
    if (method === 'POST' && parts !== undefined) {
      const etags = [...body.toString().matchAll(/<ETag>"(\w+)"<\/ETag>/g)].map(([, etag]) => etag);
      // Like S3, the status is sent before the result is known.
      if (etags.join() !== parts.map(sha256).join()) return send(200, error('InvalidPart'));
      objects.set(pathname, { body: Buffer.concat(parts), type: types.get(upload) ?? '' });
      uploads.delete(upload);
      return send(200, '<CompleteMultipartUploadResult/>');
    }
    if (method === 'DELETE' && parts !== undefined) {
      uploads.delete(upload);
      return send(204);
    }
    if (method === 'PUT') {
      objects.set(pathname, { body, type: headers['content-type'] ?? '' });
      return send(200, '', { etag: `"${sha256(body)}"` });
    }
    if (method === 'DELETE') {
      objects.delete(pathname);
      return send(204);
    }
    const object = objects.get(pathname);
    if (object === undefined) return send(404, error('NoSuchKey'));
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    return send(206, object.body.subarray(Number(from), Number(to) + 1));
  };

  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(request, response, Buffer.concat(pieces)));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  const bucket: ScriptedBucket = {
    url,
    options: {
      ResultStorage: 's3',
      ResultS3Endpoint: url,
      ResultS3Region: REGION,
      ResultS3Bucket: 'results',
      ResultS3Prefix: 'switchyard/made/',
      ResultS3PathStyle: 'true',
      ResultS3AccessKeyId: bucketKeys.id,
      ResultS3SecretAccessKey: bucketKeys.secret,
    },
    objects,
    uploads,
    asked: requests,
    injectFault: undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return bucket;
}
