/** Removes artifacts that have expired, whose task is deleted, or that exceed the folder's limit. */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { FOLDER_STORE, openArtifactStore } from './artifact-rows-and-writing.ts';
import { createFolderStore } from './folder-store.ts';
import { BucketError } from './s3-client.ts';

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
  await expireOldestArtifacts(ctx);
  const failures: unknown[] = [];
  const silentStores = new Set<string>();
  for await (const { isOwned, isExpired, ...work } of readArtifacts(ctx)) {
    stopping?.throwIfAborted();
    if ((isOwned === 1 && isExpired === 0) || silentStores.has(work.store)) continue;
    const remove = isOwned === 1 ? expireArtifact : deleteArtifact;
    await remove(ctx, work, stopping).catch((error: unknown) => {
      failures.push(error);
      if (!(error instanceof BucketError)) silentStores.add(work.store);
    });
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} artifacts could not be removed from their store`);
}

/**
 * Reads all artifacts in pages, outside the thread of the event loop: no index finds those without an owner, such as of
 * tasks that ended after their owner was deleted.
 */
async function* readArtifacts({ db, clock }: Context) {
  const rows = db.reader
    .selectFrom('stored_work')
    .select(['id', 'store'])
    .select((eb) => {
      const users = eb.selectFrom('user').select('user.id').where('user.deleted_time', 'is', null);
      const ofTask = users.innerJoin('task', 'task.user_id', 'user.id').whereRef('task.id', '=', 'stored_work.task_id');
      const itself = users.whereRef('user.id', '=', 'stored_work.user_id');
      const expired = eb('state', '=', 'kept').and('expires_at', '<=', nowSeconds(clock));
      return [
        eb
          .case()
          .when(eb.or([eb.exists(ofTask), eb.exists(itself)]))
          .then(1)
          .else(0)
          .end()
          .as('isOwned'),
        eb.case().when(expired).then(1).else(0).end().as('isExpired'),
      ];
    })
    .orderBy('id')
    .limit(PAGE_SIZE);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<typeof rows.execute>> = await rows.where('id', '>', after).execute();
    yield* page;
    after = page.length < PAGE_SIZE ? undefined : page.at(-1)?.id;
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
  // Called after each stored artifact, when the sum is nearly always within the limit.
  while ((await sumStoredBytes(ctx)) > bytesMax) {
    const owners = await readOwners(ctx);
    let left = owners.reduce((sum, { bytes }) => sum + bytes, 0);
    while (left > bytesMax) {
      const most = owners.reduce((a, b) => (b.bytes > a.bytes ? b : a));
      const oldest = most.oldest.shift();
      // There may be more artifacts of this user than were read.
      if (oldest === undefined) break;
      await expireArtifact(ctx, oldest);
      left -= oldest.bytes;
      most.bytes -= oldest.bytes;
    }
  }
}

async function sumStoredBytes({ db }: Context): Promise<number> {
  const { bytes } = await db.reader
    .selectFrom('stored_work')
    .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
    .where('state', '=', 'kept')
    .where('store', '=', FOLDER_STORE)
    .executeTakeFirstOrThrow();
  return bytes ?? 0;
}

interface ArtifactOwner {
  bytes: number;
  oldest: (RemovableArtifact & { bytes: number })[];
}

/** Maximum artifacts of a user in memory. */
const OLDEST_MAX = 20;

/** Reads the users with artifacts in the folder, in pages. One of them stands for all artifacts without an owner. */
async function readOwners({ db }: Context): Promise<ArtifactOwner[]> {
  const owners = new Map<number | null, ArtifactOwner>();
  const rows = db.reader
    .selectFrom('stored_work')
    .leftJoin('task', 'task.id', 'stored_work.task_id')
    .select(['stored_work.id', 'stored_work.store', 'stored_work.bytes', 'stored_work.created_at'])
    .select(sql<number | null>`coalesce(stored_work.user_id, task.user_id)`.as('owner'))
    .where('stored_work.state', '=', 'kept')
    .where('stored_work.store', '=', FOLDER_STORE)
    .orderBy('stored_work.created_at')
    .orderBy('stored_work.id')
    .limit(PAGE_SIZE);
  let page = await rows.execute();
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    for (const { owner, ...work } of page) {
      const known = owners.get(owner) ?? { bytes: 0, oldest: [] };
      owners.set(owner, known);
      known.bytes += work.bytes;
      if (known.oldest.length < OLDEST_MAX) known.oldest.push(work);
    }
    page = await rows
      .where(sql<boolean>`(stored_work.created_at, stored_work.id) > (${last.created_at}, ${last.id})`)
      .execute();
  }
  return [...owners.values()];
}

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
