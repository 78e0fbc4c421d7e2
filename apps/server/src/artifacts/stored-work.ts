/** A work that is kept, or is to be. */
import { randomBytes, randomInt } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { bucketAddress } from './bucket-store.ts';
import { FOLDER } from './store-of.ts';
import type { StoredWorkTable } from './table.ts';

/** Before the id of a work, in its address. */
export const STORED_WORK_PATH = '/v1/stored/';
const DAY_SECONDS = 86_400;

export type StoredWork = Selectable<StoredWorkTable>;

/** Of one source. */
const LANES = 4;

/** Where works are kept now; undefined: they are not. */
export function storeInUse({ settings }: Pick<Context, 'settings'>): string | undefined {
  // A setting that does not fit any more is empty: tasks end all the same.
  if (settings.resultStorage === 's3' && settings.resultBucketEndpoint !== '')
    return bucketAddress({ settings });
  return settings.resultStorage === 'folder' ? FOLDER : undefined;
}

/** One that is to be fetched at once. @param source from where, such as a channel */
export function newStoredWork(
  { clock }: Pick<Context, 'clock'>,
  made: Pick<StoredWork, 'task_id' | 'user_id' | 'nth' | 'store'>,
  source: string,
): StoredWork {
  const now = nowSeconds(clock);
  return {
    ...made,
    id: randomBytes(20).toString('hex'),
    lane: `${source} ${randomInt(LANES)}`,
    state: 'waiting',
    bytes: 0,
    media_type: '',
    tries: 0,
    next_try_at: now,
    created_at: now,
    expires_at: null,
  };
}

/** Of one that is kept from now on, in UTC seconds; null: none. */
export function expiryOf({ settings, clock }: Pick<Context, 'settings' | 'clock'>): number | null {
  return settings.resultDays === 0 ? null : nowSeconds(clock) + settings.resultDays * DAY_SECONDS;
}
