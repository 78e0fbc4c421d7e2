/** Retention of finished tasks. */
import type { SelectQueryBuilder, Transaction } from 'kysely';
import type { Context } from '../context.ts';
import type { Database } from '../db/open-database.ts';
import { pluckIds, processRowsInChunks, selectByteSize } from '../db/process-in-chunks.ts';
import { nowSeconds } from '../platform/clock.ts';
import { streamPages } from '../platform/stream-pages-and-json.ts';
import type { Schema } from '../schema.ts';

const DAY_SECONDS = 86_400;
/** A task has several kilobytes of prompt and request. */
const EXPORT_LIMITS = { size: 100, most: 10_000 };
const EMPTY_STATUS = JSON.stringify({ works: [], said: {} });

/** Removes the tasks that ended more days ago than the settings keep them. @returns the number of removed tasks */
export async function removeOldTasks(ctx: Context, stopping?: AbortSignal): Promise<number> {
  const { db, clock, settings } = ctx;
  if (settings.taskDays === 0) return 0;
  const before = nowSeconds(clock) - settings.taskDays * DAY_SECONDS;
  return removeEnded(db, (tasks) => tasks.where('ended_at', '<=', before), stopping);
}

/** Removes the ended tasks of a user whose account is being deleted, before `removeUserTasks` removes the rest. */
export function removeUserEndedTasks({ db }: Pick<Context, 'db'>, userId: number): Promise<number> {
  return removeEnded(db, (tasks) => tasks.where('user_id', '=', userId).where('ended_at', 'is not', null));
}

/** @param which narrows the query to the tasks to remove */
function removeEnded(
  db: Database,
  which: (tasks: SelectQueryBuilder<Schema, 'task', object>) => SelectQueryBuilder<Schema, 'task', object>,
  stopping?: AbortSignal,
): Promise<number> {
  return processRowsInChunks(
    db,
    (trx) => which(trx.selectFrom('task')).select(['id', selectByteSize('prompt', 'request', 'news')]),
    (trx, tasks) => trx.deleteFrom('task').where('id', 'in', pluckIds(tasks)).execute(),
    stopping,
  );
}

/**
 * Removes the tasks of a deleted user. Rows of running tasks are emptied but not deleted, so that they are still charged or
 * released.
 */
export async function removeUserTasks(trx: Transaction<Schema>, userId: number): Promise<void> {
  await trx.deleteFrom('task').where('user_id', '=', userId).where('ended_at', 'is not', null).execute();
  await trx
    .updateTable('task')
    .set({ prompt: '', request: '{}', news: EMPTY_STATUS, notify_url: '', notify_site: '', notify_at: null })
    .where('user_id', '=', userId)
    .execute();
}

/** Yields a user's stored tasks for a data export, newest first. */
export function exportTasks({ db }: Pick<Context, 'db'>, userId: number) {
  return streamPages(EXPORT_LIMITS, (last: { created_at: number; id: string } | undefined, size) => {
    let query = db.reader
      .selectFrom('task')
      .select(['id', 'action', 'model', 'status', 'prompt', 'request', 'failure', 'charge', 'created_at', 'ended_at'])
      .where('user_id', '=', userId);
    if (last !== undefined)
      query = query.where((eb) => eb(eb.refTuple('created_at', 'id'), '<', eb.tuple(last.created_at, last.id)));
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(size).execute();
  });
}
