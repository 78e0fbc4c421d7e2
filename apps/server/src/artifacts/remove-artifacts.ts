/** Removes artifacts that have expired, whose task is deleted, or that exceed the folder's limit. */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { createFolderStore } from './folder-store.ts';
import { BucketError } from './s3-client.ts';
import { FOLDER_STORE, openArtifactStore } from './stored-artifact.ts';

const PAGE_SIZE = 500;
const GIGABYTE = 1_073_741_824;

interface RemovableArtifact {
  id: string;
  store: string;
}

/**
 * Removes each artifact before its row, so that a failed removal is repeated. A bucket that does not respond is left out
 * for the rest of the run.
 * @throws AggregateError of the failures
 */
export async function removeExpiredArtifacts(ctx: Context, stopping?: AbortSignal): Promise<void> {
  const { db, clock } = ctx;
  await expireOldestArtifacts(ctx);
  const removal: Removal = { failures: [], silentStores: new Set(), stopping };
  const works = db.writer.selectFrom('stored_work').select(['id', 'store']).orderBy('id').limit(PAGE_SIZE);
  // Artifacts of tasks that ended after their owner was deleted have no owner.
  const withoutOwner = works.where((eb) => {
    const users = eb.selectFrom('user').select('user.id').where('user.deleted_time', 'is', null);
    const ofTask = users.innerJoin('task', 'task.user_id', 'user.id').whereRef('task.id', '=', 'stored_work.task_id');
    const itself = users.whereRef('user.id', '=', 'stored_work.user_id');
    return eb.not(eb.exists(ofTask)).and(eb.not(eb.exists(itself)));
  });
  const expired = works.where('state', '=', 'kept').where('expires_at', '<=', nowSeconds(clock));
  await removeEach(
    removal,
    (after) => withoutOwner.where('id', '>', after).execute(),
    (work) => deleteArtifact(ctx, work, stopping),
  );
  await removeEach(
    removal,
    (after) => expired.where('id', '>', after).execute(),
    (work) => expireArtifact(ctx, work, stopping),
  );
  const { failures } = removal;
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} artifacts could not be removed from their store`);
}

interface Removal {
  failures: unknown[];
  /** Stores that did not respond. */
  silentStores: Set<string>;
  stopping: AbortSignal | undefined;
}

/** Continues with the next artifact after a failure. */
async function removeEach(
  { failures, silentStores, stopping }: Removal,
  find: (after: string) => Promise<RemovableArtifact[]>,
  remove: (work: RemovableArtifact) => Promise<void>,
): Promise<void> {
  let after = '';
  for (let found = await find(after); found.length > 0; found = await find(after))
    for (const work of found) {
      stopping?.throwIfAborted();
      after = work.id;
      if (silentStores.has(work.store)) continue;
      await remove(work).catch((error: unknown) => {
        failures.push(error);
        if (!(error instanceof BucketError)) silentStores.add(work.store);
      });
    }
}

/** Last run of `expireOldestArtifacts`, per server of this process. */
const lastExpiries = new WeakMap<Context, Promise<void>>();
/** Runs that have not begun. They will also count the artifacts that are stored until then. */
const waitingExpiries = new WeakMap<Context, Promise<void>>();

/**
 * Expires artifacts until the folder is within its limit, oldest first, from the user with the most bytes, so that no
 * user displaces the others' artifacts. One run follows another: two at a time would each expire the whole excess.
 */
export function expireOldestArtifacts(ctx: Context): Promise<void> {
  const waiting = waitingExpiries.get(ctx);
  if (waiting !== undefined) return waiting;
  const previous = lastExpiries.get(ctx) ?? Promise.resolve();
  const run = previous
    .catch(() => {})
    .then(() => {
      waitingExpiries.delete(ctx);
      return expireUntilWithinLimit(ctx);
    });
  waitingExpiries.set(ctx, run);
  lastExpiries.set(ctx, run);
  return run;
}

async function expireUntilWithinLimit(ctx: Context): Promise<void> {
  const bytesMax = ctx.settings.resultTotalGigabytes * GIGABYTE;
  if (bytesMax === 0) return;
  const query = ctx.db.reader
    .selectFrom('stored_work')
    .leftJoin('task', 'task.id', 'stored_work.task_id')
    .where('stored_work.state', '=', 'kept')
    .where('stored_work.store', '=', FOLDER_STORE);
  const owners = await query
    .select(({ fn }) => [artifactOwner.as('owner'), fn.sum<number>('stored_work.bytes').as('bytes')])
    .groupBy(artifactOwner)
    .execute();
  let left = owners.reduce((sum, { bytes }) => sum + bytes, 0);
  while (left > bytesMax) {
    const most = owners.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const oldest = await query
      .select(['stored_work.id', 'stored_work.store', 'stored_work.bytes'])
      .where(artifactOwner, 'is not distinct from', most.owner)
      .orderBy('stored_work.created_at')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return;
    await expireArtifact(ctx, oldest);
    left -= oldest.bytes;
    most.bytes -= oldest.bytes;
  }
}

/** Null: without an owner. */
const artifactOwner = sql<number | null>`coalesce(stored_work.user_id, task.user_id)`;

async function deleteArtifact(ctx: Context, work: RemovableArtifact, stopping?: AbortSignal): Promise<void> {
  await removeFromStore(ctx, work, stopping);
  await ctx.db.writer.deleteFrom('stored_work').where('id', '=', work.id).execute();
}

/** Removes an artifact. One in a bucket was in the folder before, and is removed there too. */
async function removeFromStore(ctx: Context, work: RemovableArtifact, stopping?: AbortSignal): Promise<void> {
  await openArtifactStore(ctx, work).remove(work.id, stopping);
  if (work.store !== FOLDER_STORE) await createFolderStore(ctx.config.dataDir).remove(work.id);
}

async function expireArtifact(ctx: Context, work: RemovableArtifact, stopping?: AbortSignal): Promise<void> {
  await removeFromStore(ctx, work, stopping);
  await ctx.db.writer
    .updateTable('stored_work')
    .set({ state: 'expired', bytes: 0 })
    .where('id', '=', work.id)
    .execute();
}
