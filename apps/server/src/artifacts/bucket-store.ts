/** Stores artifacts as objects of a bucket. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { BucketError, createS3Client, type S3Client } from './s3-client.ts';

/** Bytes of one part of a larger artifact. S3 requires at least 5 MB and allows at most 10,000 parts. */
const PART_BYTES = 8 * 1_048_576;
const TEST_TIMEOUT_MS = 20_000;

/** @returns the address prefix of the configured bucket's objects, with a slash at its end */
export function getBucketUrl({ settings }: Pick<Context, 'settings'>): string {
  const { resultBucketEndpoint: endpoint, resultBucket: bucket, resultBucketPrefix: prefix } = settings;
  const { protocol, host, pathname } = new URL(endpoint);
  const base = pathname.replace(/\/+$/, '');
  return settings.resultBucketPathStyle
    ? `${protocol}//${host}${base}/${bucket}/${prefix}`
    : `${protocol}//${bucket}.${host}${base}/${prefix}`;
}

/** @param address from `getBucketUrl`, even if the settings have changed since */
export function createBucketStore(ctx: Context, address: string): ArtifactStore {
  const calls = createS3Client(ctx, address);
  return {
    async write(id, pieces, mediaType, signal) {
      const parts = splitIntoParts(pieces);
      const begin = await readFirstTwo(parts);
      if (begin.length < 2) {
        const [body] = begin;
        if (body === undefined) throw new BucketError('There is nothing to write');
        const headers = { 'content-type': mediaType };
        await calls.call(id, { method: 'PUT', headers, body, signal });
        return;
      }
      await uploadInParts(calls, id, concatParts(begin, parts), mediaType, signal);
    },
    read: async (id, range, signal) => Readable.from(await calls.openPart(id, range, signal)),
    async remove(id, signal) {
      await calls.call(id, { method: 'DELETE', signal });
    },
  };
}

async function uploadInParts(
  calls: S3Client,
  id: string,
  parts: AsyncIterable<Buffer>,
  mediaType: string,
  signal: AbortSignal,
): Promise<void> {
  const begun = await calls.call(id, {
    method: 'POST',
    query: '?uploads=',
    headers: { 'content-type': mediaType },
    signal,
  });
  const uploadId = /<UploadId>([^<]{1,1000})<\/UploadId>/.exec(begun.text)?.[1];
  if (uploadId === undefined) throw new BucketError('The bucket did not start the multipart upload');
  const upload = `uploadId=${encodeURIComponent(uploadId)}`;
  try {
    const etags: string[] = [];
    for await (const body of parts) {
      const query = `?partNumber=${etags.length + 1}&${upload}`;
      etags.push((await calls.call(id, { method: 'PUT', query, body, signal })).etag);
    }
    const list = etags.map((etag, nth) => `<Part><PartNumber>${nth + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
    await calls.call(id, { method: 'POST', query: `?${upload}`, body, signal });
  } catch (error) {
    // Remaining parts would be billed. If the cleanup fails, too, the first error is the one to report.
    await calls.call(id, { method: 'DELETE', query: `?${upload}` }).catch(() => {});
    throw error;
  }
}

/**
 * Reads the first two parts. A separate function, because a frame that waits for the whole upload would keep them in
 * memory.
 */
async function readFirstTwo(parts: AsyncIterator<Buffer, undefined>): Promise<Buffer[]> {
  const found = [(await parts.next()).value, (await parts.next()).value];
  return found.filter((part) => part !== undefined);
}

/** Concatenates parts, without keeping those already yielded. */
async function* concatParts(begin: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for (let part = begin.shift(); part !== undefined; part = begin.shift()) yield part;
  yield* rest;
}

async function* splitIntoParts(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined> {
  const waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < PART_BYTES) continue;
    bytes = 0;
    yield joinPending(waiting);
  }
  if (bytes > 0) yield joinPending(waiting);
  return undefined;
}

function joinPending(waiting: Buffer[]): Buffer {
  return Buffer.concat(waiting.splice(0));
}

/**
 * Writes an object to the configured bucket, reads it and deletes it.
 * @throws BucketError, or an error if the bucket is unreachable
 */
export async function testBucket(ctx: Context): Promise<void> {
  const store = createBucketStore(ctx, getBucketUrl(ctx));
  const id = `test-${randomBytes(8).toString('hex')}`;
  const signal = AbortSignal.timeout(TEST_TIMEOUT_MS);
  const written = randomBytes(64);
  const pieces = async function* (): AsyncGenerator<Buffer> {
    yield written;
  };
  await store.write(id, pieces(), 'application/octet-stream', signal);
  try {
    const body = await store.read(id, { from: 0, to: written.length - 1 }, signal);
    const read = Buffer.concat((await body.toArray()) as Buffer[]);
    if (!read.equals(written)) throw new BucketError('The bucket returned different data than was written');
  } finally {
    await store.remove(id);
  }
}
