import type { Context } from '../context.ts';
import type { WorkStore } from './artifact-store.ts';
import { createBucketStore } from './bucket-store.ts';
import { createFolderStore } from './folder-store.ts';
import type { StoredWorkTable } from './table.ts';

export const FOLDER = 'folder';

/** The store that a row names. */
export function storeOf(ctx: Context, { store }: Pick<StoredWorkTable, 'store'>): WorkStore {
  return store === FOLDER ? createFolderStore(ctx.config.dataDir) : createBucketStore(ctx, store);
}
