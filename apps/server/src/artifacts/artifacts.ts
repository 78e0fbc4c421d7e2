/** Finds and reads stored artifacts: those of tasks, and images of responses. */
import { Readable } from 'node:stream';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { FOLDER_STORE, openArtifactStore, type StoredArtifact } from './artifact-rows-and-writing.ts';
import type { ByteRange } from './artifact-store.ts';
import { createFolderStore } from './folder-store.ts';
import { createImageStorage, type GetStoreImage } from './response-images.ts';

export {
  computeArtifactExpiry,
  findActiveStore,
  newStoredArtifact,
  STORED_ARTIFACT_PATH,
  type StoredArtifact,
  writeArtifact,
} from './artifact-rows-and-writing.ts';
export { ArtifactRejectedError } from './artifact-store.ts';
export { createBucketStore, getBucketUrl, testBucket } from './bucket-store.ts';
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
