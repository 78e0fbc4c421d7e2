/** Works whose time is over, whose task is gone, or for which the folder has no room. */
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { createFolderStore } from './folder-store.ts';
import { FOLDER, storeOf } from './store-of.ts';

const AT_ONCE = 500;
const GIGABYTE = 1_073_741_824;

interface Gone {
  id: string;
  store: string;
}

/** The works first and then their rows, so that a removal which fails is tried again. */
export async function removeGoneWorks(ctx: Context): Promise<void> {
  const { db, clock } = ctx;
  const works = db.writer.selectFrom('stored_work').select(['id', 'store']).orderBy('id').limit(AT_ONCE);
  // What ended after its owner had left is nobody's.
  const withoutOwner = works.where((eb) => {
    const users = eb.selectFrom('user').select('user.id').where('user.deleted_time', 'is', null);
    const ofTask = users
      .innerJoin('task', 'task.user_id', 'user.id')
      .whereRef('task.id', '=', 'stored_work.task_id');
    const itself = users.whereRef('user.id', '=', 'stored_work.user_id');
    return eb.not(eb.exists(ofTask)).and(eb.not(eb.exists(itself)));
  });
  const expired = works.where('state', '=', 'kept').where('expires_at', '<=', nowSeconds(clock));
  const failures = [
    ...(await forEach(
      (after) => withoutOwner.where('id', '>', after).execute(),
      (work) => forget(ctx, work),
    )),
    ...(await forEach(
      (after) => expired.where('id', '>', after).execute(),
      (work) => expire(ctx, work),
    )),
  ];
  await expireOldest(ctx);
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} artifacts could not be removed from their store`);
}

/** One that cannot be removed keeps no other from it. @returns what went wrong */
async function forEach(
  find: (after: string) => Promise<Gone[]>,
  remove: (work: Gone) => Promise<void>,
): Promise<unknown[]> {
  const failures: unknown[] = [];
  let after = '';
  for (let found = await find(after); found.length > 0; found = await find(after))
    for (const work of found) {
      await remove(work).catch((error: unknown) => failures.push(error));
      after = work.id;
    }
  return failures;
}

/** Until the rest of the folder has room; of whoever has most in it first, so that nobody’s works push out all others’. */
export async function expireOldest(ctx: Context): Promise<void> {
  const bytesMax = ctx.settings.resultTotalGigabytes * GIGABYTE;
  if (bytesMax === 0) return;
  const kept = ctx.db.reader
    .selectFrom('stored_work')
    .leftJoin('task', 'task.id', 'stored_work.task_id')
    .where('stored_work.state', '=', 'kept')
    .where('stored_work.store', '=', FOLDER);
  const owners = await kept
    .select(({ fn }) => [ownerOfWork.as('owner'), fn.sum<number>('stored_work.bytes').as('bytes')])
    .groupBy(ownerOfWork)
    .execute();
  let left = owners.reduce((sum, { bytes }) => sum + bytes, 0);
  while (left > bytesMax) {
    const most = owners.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const oldest = await kept
      .select(['stored_work.id', 'stored_work.store', 'stored_work.bytes'])
      .where(ownerOfWork, 'is not distinct from', most.owner)
      .orderBy('stored_work.created_at')
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return;
    await expire(ctx, oldest);
    left -= oldest.bytes;
    most.bytes -= oldest.bytes;
  }
}

/** Null: nobody's any more. */
const ownerOfWork = sql<number | null>`coalesce(stored_work.user_id, task.user_id)`;

async function forget(ctx: Context, work: Gone): Promise<void> {
  await removeWork(ctx, work);
  await ctx.db.writer.deleteFrom('stored_work').where('id', '=', work.id).execute();
}

/** Removes an artifact. One in a bucket was in the folder before, and is removed there too. */
async function removeWork(ctx: Context, work: Gone): Promise<void> {
  await storeOf(ctx, work).remove(work.id);
  if (work.store !== FOLDER) await createFolderStore(ctx.config.dataDir).remove(work.id);
}

async function expire(ctx: Context, work: Gone): Promise<void> {
  await removeWork(ctx, work);
  await ctx.db.writer
    .updateTable('stored_work')
    .set({ state: 'expired', bytes: 0 })
    .where('id', '=', work.id)
    .execute();
}
