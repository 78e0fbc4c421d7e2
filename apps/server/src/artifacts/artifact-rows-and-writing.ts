/** Rows of artifacts that are stored, or will be. */
import { randomBytes, randomInt } from 'node:crypto';
import { SIGNATURE_BYTES } from '@switchyard/relay';
import type { Selectable } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { ArtifactRejectedError, type ArtifactStore, workType } from './artifact-store.ts';
import { createBucketStore, getBucketUrl } from './bucket-store.ts';
import { createFolderStore } from './folder-store.ts';
import type { StoredWorkTable } from './table.ts';

/** Path prefix of an artifact's address, before its id. */
export const STORED_ARTIFACT_PATH = '/v1/stored/';
const DAY_SECONDS = 86_400;
/** Number of queues per source; each fetches one artifact at a time. */
const QUEUES_PER_SOURCE = 4;
export const MEGABYTE = 1_048_576;
export const FOLDER_STORE = 'folder';

export type StoredArtifact = Selectable<StoredWorkTable>;

/** Returns the store for new artifacts; undefined if they are not stored. */
export function findActiveStore({ settings }: Pick<Context, 'settings'>): string | undefined {
  // A setting that is no longer valid is empty; tasks must still end.
  if (settings.resultStorage === 's3' && settings.resultBucketEndpoint !== '') return getBucketUrl({ settings });
  return settings.resultStorage === 'folder' ? FOLDER_STORE : undefined;
}

/** Returns the row of an artifact that is due for fetching. @param source where it comes from, such as a channel */
export function newStoredArtifact(
  { clock }: Pick<Context, 'clock'>,
  made: Pick<StoredArtifact, 'task_id' | 'user_id' | 'nth' | 'store'>,
  source: string,
): StoredArtifact {
  const now = nowSeconds(clock);
  return {
    ...made,
    id: randomBytes(20).toString('hex'),
    lane: `${source} ${randomInt(QUEUES_PER_SOURCE)}`,
    state: 'waiting',
    bytes: 0,
    media_type: '',
    tries: 0,
    next_try_at: now,
    created_at: now,
    expires_at: null,
  };
}

/** Returns when an artifact that is stored now expires, in UTC seconds; null when it doesn't. */
export function computeArtifactExpiry({ settings, clock }: Pick<Context, 'settings' | 'clock'>): number | null {
  return settings.resultDays === 0 ? null : nowSeconds(clock) + settings.resultDays * DAY_SECONDS;
}

/**
 * Streams an artifact to its store.
 * @throws ArtifactRejectedError if it is too large, or not a video, an image or audio; otherwise what the store throws
 */
export async function writeArtifact(
  ctx: Context,
  row: Pick<StoredWorkTable, 'id' | 'store'>,
  body: AsyncIterable<Buffer>,
  signal: AbortSignal,
): Promise<{ bytes: number; mediaType: string }> {
  const pieces = body[Symbol.asyncIterator]();
  const start = await readStart(pieces);
  const mediaType = workType(start);
  if (mediaType === undefined)
    throw new ArtifactRejectedError('The provider sent neither a video nor an image nor audio');
  const bytesMax = ctx.settings.resultMaxMegabytes * MEGABYTE;
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Buffer> {
    for (let piece: Buffer | undefined = start; piece !== undefined; piece = await readNext(pieces)) {
      bytes += piece.length;
      if (bytes > bytesMax) throw new ArtifactRejectedError('The artifact is larger than the maximum stored size');
      yield piece;
    }
  };
  await openArtifactStore(ctx, row).write(row.id, counted(), mediaType, signal);
  return { bytes, mediaType };
}

/** Reads enough of the beginning to detect the media type, or everything if there is less. */
async function readStart(pieces: AsyncIterator<Buffer>): Promise<Buffer> {
  let start = Buffer.alloc(0);
  while (start.length < SIGNATURE_BYTES) {
    const piece = await readNext(pieces);
    if (piece === undefined) break;
    start = Buffer.concat([start, piece]);
  }
  return start;
}

async function readNext(pieces: AsyncIterator<Buffer>): Promise<Buffer | undefined> {
  const next = await pieces.next();
  return next.done === true ? undefined : next.value;
}

/** Opens the store that a row names. */
export function openArtifactStore(ctx: Context, { store }: Pick<StoredWorkTable, 'store'>): ArtifactStore {
  return store === FOLDER_STORE ? createFolderStore(ctx.config.dataDir) : createBucketStore(ctx, store);
}
