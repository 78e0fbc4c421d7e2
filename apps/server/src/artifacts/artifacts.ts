/** Artifacts of tasks, where the operator keeps them: in a folder or a bucket, for as long as the settings say. */

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoreImage } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { hasPublicAddress, publicAddress } from '../platform/outbound/public-address.ts';
import type { ByteRange } from './artifact-store.ts';
import { workType } from './artifact-type.ts';
import { BucketError } from './bucket-calls.ts';
import { bucketAddress, createBucketStore } from './bucket-store.ts';
import { createFolderStore, writeFileAtOnce } from './folder-store.ts';
import { expireOldest } from './remove-artifacts.ts';
import { FOLDER, storeOf } from './store-of.ts';
import { expiryOf, newStoredWork, STORED_WORK_PATH, type StoredWork, storeInUse } from './stored-artifact.ts';
import { MEGABYTE } from './write-artifact.ts';

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

export { WorkRefused } from './artifact-store.ts';
export { BucketError } from './bucket-calls.ts';
export { bucketAddress, createBucketStore } from './bucket-store.ts';
export { createFolderStore, removeUnfinished } from './folder-store.ts';
export { expireOldest, removeGoneWorks } from './remove-artifacts.ts';
export { expiryOf, newStoredWork, STORED_WORK_PATH, type StoredWork, storeInUse } from './stored-artifact.ts';

export { writeWork } from './write-artifact.ts';
export type { ByteRange };
export { FOLDER, storeOf };

/** Stored works, for whoever sends them. */
export interface Works {
  find(id: string): Promise<StoredWork | undefined>;
  /** @param nth which of the task's works */
  of(taskId: string, nth: number): Promise<StoredWork | undefined>;
  /** Its time is over, whether or not it was removed already. */
  isExpired(work: StoredWork): boolean;
  /** Function that keeps images of responses as artifacts. */
  keepPicturesOf: KeepPicturesOf;
  /** @throws when it does not lie in its store */
  read(work: StoredWork, range: ByteRange, signal: AbortSignal): Promise<Readable>;
}

export function createWorks(ctx: Context): Works {
  const rows = ctx.db.writer.selectFrom('stored_work').selectAll();
  const pictures = createKeepPicture(ctx);
  return {
    find: async (id) => pictures.unwritten.get(id) ?? rows.where('id', '=', id).executeTakeFirst(),
    of: (taskId, nth) => rows.where('task_id', '=', taskId).where('nth', '=', nth).executeTakeFirst(),
    isExpired: ({ state, expires_at }) =>
      state === 'expired' || (state === 'kept' && expires_at !== null && expires_at <= nowSeconds(ctx.clock)),
    keepPicturesOf: pictures.keepOf,
    // A picture that waits for the bucket lies in the folder.
    read: (work, range, signal) =>
      (work.state === 'waiting' ? createFolderStore(ctx.config.dataDir) : storeOf(ctx, work)).read(
        work.id,
        range,
        signal,
      ),
  };
}

/** Pictures that stand in answers as base64, kept while the answer is on its way. */

const SOURCE = 'answers';

/** @returns what keeps pictures of a user's answers; undefined where none are kept */
type KeepPicturesOf = (userId: number) => StoreImage | undefined;

/**
 * An answer cannot wait: a picture is in the folder when its address is told, and goes to the bucket from there. What
 * must not be lost is in no other place.
 */
function createKeepPicture(ctx: Context): {
  keepOf: KeepPicturesOf;
  /** Kept, and not in the table yet. */
  unwritten: ReadonlyMap<string, StoredWork>;
} {
  const { config, log } = ctx;
  const unwritten = new Map<string, StoredWork>();

  const write = async (picture: StoredWork): Promise<void> => {
    try {
      await ctx.db.writer.insertInto('stored_work').values(picture).execute();
      if (picture.state === 'waiting') await ctx.changes.publish({ topic: 'works' });
      else await expireOldest(ctx);
    } catch (error) {
      log.error({ err: error }, 'an image of a response could not be recorded');
    } finally {
      unwritten.delete(picture.id);
    }
  };

  const keep = (userId: number, store: string, base64: string): string | undefined => {
    const bytes = Buffer.from(base64, 'base64');
    const mediaType = workType(bytes);
    if (mediaType?.startsWith('image/') !== true) return undefined;
    if (bytes.length > ctx.settings.resultMaxMegabytes * MEGABYTE) return undefined;
    const picture: StoredWork = {
      ...newStoredWork(ctx, { task_id: null, user_id: userId, nth: 0, store }, SOURCE),
      state: store === FOLDER ? 'kept' : 'waiting',
      bytes: bytes.length,
      media_type: mediaType,
      expires_at: expiryOf(ctx),
    };
    try {
      writeFileAtOnce(config.dataDir, picture.id, bytes);
    } catch (error) {
      log.error({ err: error }, 'an image of a response could not be stored');
      return undefined;
    }
    unwritten.set(picture.id, picture);
    void write(picture);
    return publicAddress(ctx) + STORED_WORK_PATH + picture.id;
  };
  const keepOf: KeepPicturesOf = (userId) => {
    const store = ctx.settings.chatPicturesStored && hasPublicAddress(ctx) ? storeInUse(ctx) : undefined;
    return store === undefined ? undefined : (base64) => keep(userId, store, base64);
  };
  return { keepOf, unwritten };
}
