/** Pictures that stand in answers as base64, kept while the answer is on its way. */
import type { KeepPicture } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { hasPublicAddress, publicAddress } from '../platform/outbound/public-address.ts';
import { workType } from './artifact-type.ts';
import { writeFileAtOnce } from './folder-store.ts';
import { expireOldest } from './remove-artifacts.ts';
import { FOLDER } from './store-of.ts';
import { expiryOf, newStoredWork, STORED_WORK_PATH, type StoredWork, storeInUse } from './stored-artifact.ts';
import { MEGABYTE } from './write-artifact.ts';

const SOURCE = 'answers';

/** @returns what keeps pictures of a user's answers; undefined where none are kept */
export type KeepPicturesOf = (userId: number) => KeepPicture | undefined;

/**
 * An answer cannot wait: a picture is in the folder when its address is told, and goes to the bucket from there. What
 * must not be lost is in no other place.
 */
export function createKeepPicture(ctx: Context): {
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
