/** Stores images that responses contain as base64, and keeps them in memory until they are written. */
import { Readable } from 'node:stream';
import type { StoreImage } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { hasPublicAddress, requirePublicAddress } from '../platform/outbound/site-public-address.ts';
import {
  computeArtifactExpiry,
  FOLDER_STORE,
  findActiveStore,
  MEGABYTE,
  newStoredArtifact,
  STORED_ARTIFACT_PATH,
  type StoredArtifact,
} from './artifact-rows-and-writing.ts';
import { workType } from './artifact-store.ts';
import { createFolderStore, requireFolderSpace } from './folder-store.ts';
import { expireOldestArtifacts } from './remove-artifacts.ts';

/** Source of images that responses contain as base64. */
const RESPONSE_SOURCE = 'answers';

/** Maximum bytes of images that wait for a slow disk. Further ones stay in their responses. */
const UNWRITTEN_BYTES_MAX = 64 * MEGABYTE;
const WRITE_MS = 60_000;

/** @returns a function that stores images of a user's responses; undefined if artifacts are not stored */
export type GetStoreImage = (userId: number) => StoreImage | undefined;

interface UnwrittenImage {
  picture: StoredArtifact;
  bytes: Buffer;
}

/**
 * Creates the keeper of images. A response waits neither for a disk nor for a bucket: an image is served from the memory
 * until it is in the folder, and is uploaded from there.
 */
export function createImageStorage(ctx: Context): {
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
