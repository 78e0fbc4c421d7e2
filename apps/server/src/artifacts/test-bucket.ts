import { randomBytes } from 'node:crypto';
import type { Context } from '../context.ts';
import { BucketError } from './bucket-calls.ts';
import { bucketAddress, createBucketStore } from './bucket-store.ts';

const DEADLINE_MS = 20_000;

/**
 * Writes an object to the bucket that is set, reads it and deletes it.
 * @throws BucketError, or why the bucket is not reached
 */
export async function testBucket(ctx: Context): Promise<void> {
  const store = createBucketStore(ctx, bucketAddress(ctx));
  const id = `test-${randomBytes(8).toString('hex')}`;
  const signal = AbortSignal.timeout(DEADLINE_MS);
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
