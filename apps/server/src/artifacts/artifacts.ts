/** Stores artifacts of tasks in a folder or a bucket, for the configured time. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { StoreImage } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { hasPublicAddress, requirePublicAddress } from '../platform/outbound/site-public-address.ts';
import {
  computeArtifactExpiry,
  FOLDER_STORE,
  findActiveStore,
  MEGABYTE,
  newStoredArtifact,
  openArtifactStore,
  STORED_ARTIFACT_PATH,
  type StoredArtifact,
} from './artifact-rows-and-writing.ts';
import { type ByteRange, workType } from './artifact-store.ts';
import { createBucketStore, getBucketUrl } from './bucket-store.ts';
import { createFolderStore, requireFolderSpace } from './folder-store.ts';
import { expireOldestArtifacts } from './remove-artifacts.ts';
import { BucketError } from './s3-client.ts';

const DEADLINE_MS = 20_000;

/**
 * Writes an object to the configured bucket, reads it and deletes it.
 * @throws BucketError, or an error if the bucket is unreachable
 */
export async function testBucket(ctx: Context): Promise<void> {
  const store = createBucketStore(ctx, getBucketUrl(ctx));
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

export {
  computeArtifactExpiry,
  findActiveStore,
  newStoredArtifact,
  STORED_ARTIFACT_PATH,
  type StoredArtifact,
  writeArtifact,
} from './artifact-rows-and-writing.ts';
export { ArtifactRejectedError } from './artifact-store.ts';
export { createBucketStore, getBucketUrl } from './bucket-store.ts';
export { createFolderStore, removeUnfinishedFiles } from './folder-store.ts';
export { expireOldestArtifacts, removeExpiredArtifacts } from './remove-artifacts.ts';
export { BucketError } from './s3-client.ts';
export type { ByteRange };
export { FOLDER_STORE, openArtifactStore };

/** Stored artifacts, for the routes that serve them. */
export interface Artifacts {
  find(id: string): Promise<StoredArtifact | undefined>;
  /** @param nth index of the artifact within the task */
  findByTask(taskId: string, nth: number): Promise<StoredArtifact | undefined>;
  /** Returns whether an artifact has expired, even if it is not removed yet. */
  isExpired(work: StoredArtifact): boolean;
  /** Function that keeps images of responses as artifacts. */
  getStoreImage: GetStoreImage;
  /** @throws if the artifact is missing in its store */
  read(work: StoredArtifact, range: ByteRange, signal: AbortSignal): Promise<Readable>;
}

export function createArtifacts(ctx: Context): Artifacts {
  const rows = ctx.db.writer.selectFrom('stored_work').selectAll();
  const images = createImageStorage(ctx);
  return {
    find: async (id) => images.unwritten.get(id)?.picture ?? rows.where('id', '=', id).executeTakeFirst(),
    findByTask: (taskId, nth) => rows.where('task_id', '=', taskId).where('nth', '=', nth).executeTakeFirst(),
    isExpired: ({ state, expires_at }) =>
      state === 'expired' || (state === 'kept' && expires_at !== null && expires_at <= nowSeconds(ctx.clock)),
    getStoreImage: images.getStoreImage,
    async read(work, range, signal) {
      const bytes = images.unwritten.get(work.id)?.bytes;
      if (bytes !== undefined) return Readable.from([bytes.subarray(range.from, range.to + 1)]);
      // An image that waits for its upload to the bucket is in the folder.
      const store = work.state === 'waiting' ? createFolderStore(ctx.config.dataDir) : openArtifactStore(ctx, work);
      return store.read(work.id, range, signal);
    },
  };
}

/** Source of images that responses contain as base64. */

const RESPONSE_SOURCE = 'answers';

/** Maximum bytes of images that wait for a slow disk. Further ones stay in their responses. */
const UNWRITTEN_BYTES_MAX = 64 * MEGABYTE;
const WRITE_MS = 60_000;

/** @returns a function that stores images of a user's responses; undefined if artifacts are not stored */
type GetStoreImage = (userId: number) => StoreImage | undefined;

interface UnwrittenImage {
  picture: StoredArtifact;
  bytes: Buffer;
}

/**
 * Creates the keeper of images. A response waits neither for a disk nor for a bucket: an image is served from the memory
 * until it is in the folder, and is uploaded from there.
 */
function createImageStorage(ctx: Context): {
  getStoreImage: GetStoreImage;
  /** Images that are not in the folder and the table yet. */
  unwritten: ReadonlyMap<string, UnwrittenImage>;
} {
  const { config, log } = ctx;
  const unwritten = new Map<string, UnwrittenImage>();
  let unwrittenBytes = 0;

  const write = async ({ picture, bytes }: UnwrittenImage): Promise<void> => {
    unwritten.set(picture.id, { picture, bytes });
    unwrittenBytes += bytes.length;
    try {
      const pieces = Readable.from([bytes]);
      const signal = AbortSignal.timeout(WRITE_MS);
      await createFolderStore(config.dataDir).write(picture.id, pieces, picture.media_type, signal);
      await ctx.db.writer.insertInto('stored_work').values(picture).execute();
      if (picture.state === 'waiting') await ctx.changes.publish({ topic: 'works' });
      else await expireOldestArtifacts(ctx);
    } catch (error) {
      log.error({ err: error }, 'an image of a response could not be stored');
    } finally {
      unwritten.delete(picture.id);
      unwrittenBytes -= bytes.length;
    }
  };

  const keep = (userId: number, store: string, base64: string): string | undefined => {
    const bytes = Buffer.from(base64, 'base64');
    const mediaType = workType(bytes);
    if (mediaType?.startsWith('image/') !== true) return undefined;
    if (bytes.length > ctx.settings.resultMaxMegabytes * MEGABYTE) return undefined;
    if (unwrittenBytes + bytes.length > UNWRITTEN_BYTES_MAX) return undefined;
    const picture: StoredArtifact = {
      ...newStoredArtifact(ctx, { task_id: null, user_id: userId, nth: 0, store }, RESPONSE_SOURCE),
      state: store === FOLDER_STORE ? 'kept' : 'waiting',
      bytes: bytes.length,
      media_type: mediaType,
      expires_at: computeArtifactExpiry(ctx),
    };
    try {
      requireFolderSpace(config.dataDir, unwrittenBytes + bytes.length);
    } catch (error) {
      log.error({ err: error }, 'an image of a response could not be stored');
      return undefined;
    }
    void write({ picture, bytes });
    return requirePublicAddress(ctx) + STORED_ARTIFACT_PATH + picture.id;
  };
  const getStoreImage: GetStoreImage = (userId) => {
    const store = ctx.settings.chatPicturesStored && hasPublicAddress(ctx) ? findActiveStore(ctx) : undefined;
    return store === undefined ? undefined : (base64) => keep(userId, store, base64);
  };
  return { getStoreImage, unwritten };
}
