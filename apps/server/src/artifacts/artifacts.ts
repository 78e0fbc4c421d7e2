/** Artifacts of tasks, where the operator keeps them: in a folder or a bucket, for as long as the settings say. */

import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoreImage } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { hasPublicAddress, requirePublicAddress } from '../platform/outbound/addresses.ts';
import { type ByteRange, workType } from './artifact-store.ts';
import { BucketError } from './bucket-calls.ts';
import { createBucketStore, getBucketUrl } from './bucket-store.ts';
import { createFolderStore, writeArtifactFileSync } from './folder-store.ts';
import { FOLDER_STORE, openArtifactStore } from './open-artifact-store.ts';
import { expireOldestArtifacts } from './remove-artifacts.ts';
import {
  computeArtifactExpiry,
  findActiveStore,
  MEGABYTE,
  newStoredArtifact,
  STORED_ARTIFACT_PATH,
  type StoredArtifact,
} from './stored-artifact.ts';

const DEADLINE_MS = 20_000;

/**
 * Writes an object to the bucket that is set, reads it and deletes it.
 * @throws BucketError, or why the bucket is not reached
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

export { ArtifactRejected } from './artifact-store.ts';
export { BucketError } from './bucket-calls.ts';
export { createBucketStore, getBucketUrl } from './bucket-store.ts';
export { createFolderStore, removeUnfinishedFiles } from './folder-store.ts';
export { expireOldestArtifacts, removeExpiredArtifacts } from './remove-artifacts.ts';
export {
  computeArtifactExpiry,
  findActiveStore,
  newStoredArtifact,
  STORED_ARTIFACT_PATH,
  type StoredArtifact,
  writeArtifact,
} from './stored-artifact.ts';
export type { ByteRange };
export { FOLDER_STORE, openArtifactStore };

/** Stored works, for whoever sends them. */
export interface Artifacts {
  find(id: string): Promise<StoredArtifact | undefined>;
  /** @param nth which of the task's works */
  findByTask(taskId: string, nth: number): Promise<StoredArtifact | undefined>;
  /** Its time is over, whether or not it was removed already. */
  isExpired(work: StoredArtifact): boolean;
  /** Function that keeps images of responses as artifacts. */
  getImageKeeper: GetImageKeeper;
  /** @throws when it does not lie in its store */
  read(work: StoredArtifact, range: ByteRange, signal: AbortSignal): Promise<Readable>;
}

export function createArtifacts(ctx: Context): Artifacts {
  const rows = ctx.db.writer.selectFrom('stored_work').selectAll();
  const pictures = createImageKeeper(ctx);
  return {
    find: async (id) => pictures.unwritten.get(id) ?? rows.where('id', '=', id).executeTakeFirst(),
    findByTask: (taskId, nth) => rows.where('task_id', '=', taskId).where('nth', '=', nth).executeTakeFirst(),
    isExpired: ({ state, expires_at }) =>
      state === 'expired' || (state === 'kept' && expires_at !== null && expires_at <= nowSeconds(ctx.clock)),
    getImageKeeper: pictures.keepOf,
    // A picture that waits for the bucket lies in the folder.
    read: (work, range, signal) =>
      (work.state === 'waiting' ? createFolderStore(ctx.config.dataDir) : openArtifactStore(ctx, work)).read(
        work.id,
        range,
        signal,
      ),
  };
}

/** Pictures that stand in answers as base64, kept while the answer is on its way. */

const RESPONSE_SOURCE = 'answers';

/** @returns what keeps pictures of a user's answers; undefined where none are kept */
type GetImageKeeper = (userId: number) => StoreImage | undefined;

/**
 * An answer cannot wait: a picture is in the folder when its address is told, and goes to the bucket from there. What
 * must not be lost is in no other place.
 */
function createImageKeeper(ctx: Context): {
  keepOf: GetImageKeeper;
  /** Kept, and not in the table yet. */
  unwritten: ReadonlyMap<string, StoredArtifact>;
} {
  const { config, log } = ctx;
  const unwritten = new Map<string, StoredArtifact>();

  const write = async (picture: StoredArtifact): Promise<void> => {
    try {
      await ctx.db.writer.insertInto('stored_work').values(picture).execute();
      if (picture.state === 'waiting') await ctx.changes.publish({ topic: 'works' });
      else await expireOldestArtifacts(ctx);
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
    const picture: StoredArtifact = {
      ...newStoredArtifact(ctx, { task_id: null, user_id: userId, nth: 0, store }, RESPONSE_SOURCE),
      state: store === FOLDER_STORE ? 'kept' : 'waiting',
      bytes: bytes.length,
      media_type: mediaType,
      expires_at: computeArtifactExpiry(ctx),
    };
    try {
      writeArtifactFileSync(config.dataDir, picture.id, bytes);
    } catch (error) {
      log.error({ err: error }, 'an image of a response could not be stored');
      return undefined;
    }
    unwritten.set(picture.id, picture);
    void write(picture);
    return requirePublicAddress(ctx) + STORED_ARTIFACT_PATH + picture.id;
  };
  const keepOf: GetImageKeeper = (userId) => {
    const store = ctx.settings.chatPicturesStored && hasPublicAddress(ctx) ? findActiveStore(ctx) : undefined;
    return store === undefined ? undefined : (base64) => keep(userId, store, base64);
  };
  return { keepOf, unwritten };
}
