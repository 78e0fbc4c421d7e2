import type { Context } from '../context.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { createBucketStore } from './bucket-store.ts';
import { createFolderStore } from './folder-store.ts';
import type { StoredWorkTable } from './table.ts';

export const FOLDER_STORE = 'folder';

/** Opens the store that a row names. */
export function openArtifactStore(ctx: Context, { store }: Pick<StoredWorkTable, 'store'>): ArtifactStore {
  return store === FOLDER_STORE ? createFolderStore(ctx.config.dataDir) : createBucketStore(ctx, store);
}
