/** Artifacts of tasks, where the operator keeps them: in a folder or a bucket, for as long as the settings say. */
import type { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { ByteRange } from './artifact-store.ts';
import { createFolderStore } from './folder-store.ts';
import { createKeepPicture, type KeepPicturesOf } from './keep-image.ts';
import { FOLDER, storeOf } from './store-of.ts';
import type { StoredWork } from './stored-artifact.ts';

export { WorkRefused } from './artifact-store.ts';
export { BucketError } from './bucket-calls.ts';
export { bucketAddress, createBucketStore } from './bucket-store.ts';
export { createFolderStore, removeUnfinished } from './folder-store.ts';
export { expireOldest, removeGoneWorks } from './remove-artifacts.ts';
export { expiryOf, newStoredWork, STORED_WORK_PATH, type StoredWork, storeInUse } from './stored-artifact.ts';
export { testBucket } from './test-bucket.ts';
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
