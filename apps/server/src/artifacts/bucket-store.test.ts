import { randomBytes } from 'node:crypto';
import { serviceTests } from '@switchyard/contract/operations/service-connection-tests';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { bucketKeys, startScriptedBucket } from '../testing/scripted-bucket.ts';
import { setOptions } from '../testing/set-options.ts';
import { useTestApp } from '../testing/start-test-app.ts';
import { createBucketStore, getBucketUrl, testBucket } from './bucket-store.ts';

const MEGABYTE = 1_048_576;
const ID = 'a'.repeat(40);
const never = new AbortController().signal;

const bucket = await startScriptedBucket();
afterAll(() => bucket.close());
const app = await useTestApp();
const { ctx } = app;
const root = await app.createUser('root');

beforeEach(async () => {
  await setOptions(ctx, bucket.options);
  bucket.injectFault = undefined;
  bucket.objects.clear();
  bucket.uploads.clear();
  bucket.asked.length = 0;
});

const store = () => createBucketStore(ctx, getBucketUrl(ctx));
const path = `/results/switchyard/made/${ID}`;

async function* inPieces(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const write = (bytes: Buffer, signal = never) => store().write(ID, inPieces(bytes), 'video/mp4', signal);
const read = async (from: number, to: number): Promise<Buffer> =>
  Buffer.concat((await (await store().read(ID, { from, to }, never)).toArray()) as Buffer[]);

test.each([
  ['in one call', 1_000, 1],
  ['in parts where it is large', 17 * MEGABYTE, 5],
])('a work is written %s, read in pieces and removed, every call signed', async (_how, size, calls) => {
  const bytes = randomBytes(size);
  await write(bytes);
  expect(bucket.asked).toHaveLength(calls);
  expect(bucket.objects.get(path)?.type).toBe('video/mp4');
  expect((await read(0, size - 1)).equals(bytes)).toBe(true);
  expect((await read(10, 19)).equals(bytes.subarray(10, 20))).toBe(true);
  await store().remove(ID);
  expect(bucket.objects.size).toBe(0);
  await store().remove(ID);
  await expect(read(0, 9)).rejects.toThrow('404 – NoSuchKey');
});

test('the bucket is at the configured address', async () => {
  await setOptions(ctx, { ResultS3Endpoint: 'https://s3.example.com', ResultS3PathStyle: 'false', ResultS3Prefix: '' });
  expect(getBucketUrl(ctx)).toBe('https://results.s3.example.com/');
  await setOptions(ctx, { ResultS3Endpoint: 'https://s3.example.com:9000/base/', ResultS3PathStyle: 'true' });
  expect(getBucketUrl(ctx)).toBe('https://s3.example.com:9000/base/results/');
});

test('an upload in parts that fails leaves nothing behind', async () => {
  const large = randomBytes(9 * MEGABYTE);
  bucket.injectFault = (call) => (call.includes('partNumber=2') ? { status: 503, body: '' } : undefined);
  await expect(write(large)).rejects.toThrow('The bucket returned status 503');
  expect(bucket.uploads.size).toBe(0);
  // A part was overwritten: the bucket reports that after an apparent success.
  bucket.injectFault = (call) => {
    if (call.includes('partNumber=2')) for (const parts of bucket.uploads.values()) parts[0] = Buffer.from('else');
    return undefined;
  };
  await expect(write(large)).rejects.toThrow('InvalidPart');
  expect(bucket.uploads.size).toBe(0);
  expect(bucket.objects.size).toBe(0);
});

test('stores nothing of an upload that breaks off', async () => {
  const breaks = async function* (): AsyncGenerator<Buffer> {
    yield randomBytes(9 * MEGABYTE);
    yield randomBytes(9 * MEGABYTE);
    throw new Error('the vendor hung up');
  };
  await expect(store().write(ID, breaks(), 'video/mp4', never)).rejects.toThrow('the vendor hung up');
  expect(bucket.uploads.size + bucket.objects.size).toBe(0);
});

test('a silent bucket is aborted by its signal', async () => {
  bucket.injectFault = () => 'silence';
  await expect(write(Buffer.from('x'), AbortSignal.timeout(200))).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a test writes, reads and deletes an object, and reports errors without the secret', async () => {
  await testBucket(ctx);
  expect(bucket.asked.map((call) => call.split(' ')[0])).toEqual(['PUT', 'GET', 'DELETE']);
  expect(bucket.objects.size).toBe(0);
  const run = () => root.api(serviceTests).run({ params: { service: 's3' } });
  expect(await run()).toEqual({ name: '' });
  await setOptions(ctx, { ResultS3SecretAccessKey: 'another secret' });
  const failure = await run().catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'upstream-failed',
    message: 'The bucket returned status 403 – SignatureDoesNotMatch: It is SignatureDoesNotMatch.',
  });
  bucket.injectFault = (call) => (call.startsWith('GET') ? { status: 206, body: 'something else' } : undefined);
  await setOptions(ctx, { ResultS3SecretAccessKey: bucketKeys.secret });
  await expect(run()).rejects.toMatchObject({ message: 'The bucket returned different data than was written' });
  expect(bucket.objects.size).toBe(0);
});

test('a bucket is chosen only with all that it takes, and its secret never comes out', async () => {
  await expect(setOptions(ctx, { ResultS3Bucket: '' })).rejects.toMatchObject({
    fields: [{ path: 'ResultS3Bucket', rule: 'needed' }],
  });
  for (const [key, value] of [
    ['ResultS3Prefix', '../'],
    ['ResultS3Prefix', 'no-slash'],
    ['ResultS3Bucket', 'a/b'],
    ['ResultS3Endpoint', 'file:///etc'],
  ] as const)
    await expect(setOptions(ctx, { [key]: value }), key).rejects.toMatchObject({ code: 'invalid-input' });
  const shown = await (await root.fetch('/api/option/')).text();
  expect(shown).not.toContain(bucketKeys.secret);
});
