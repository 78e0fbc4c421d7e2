/** What is kept of tasks once nobody works on them any more. */
import type { Transaction } from 'kysely';
import type { Context } from '../context.ts';
import type { Schema } from '../db/schema.ts';
import { nowSeconds } from '../platform/clock.ts';

const DAY_SECONDS = 86_400;
/** At once, so that nobody waits for a writer that removes a million rows. */
const REMOVED_MAX = 1_000;
const EXPORTED_MAX = 10_000;
const NOTHING_SAID = JSON.stringify({ works: [], said: {} });

/** Those that ended so many days ago as the settings say. */
export async function removeOldTasks(ctx: Context): Promise<void> {
  const { db, clock, settings, log } = ctx;
  if (settings.taskDays === 0) return;
  const before = nowSeconds(clock) - settings.taskDays * DAY_SECONDS;
  let removed = 0;
  for (let last = REMOVED_MAX; last === REMOVED_MAX; removed += last) {
    const { numDeletedRows } = await db.writer
      .deleteFrom('task')
      .where('id', 'in', (eb) =>
        eb.selectFrom('task').select('id').where('ended_at', '<=', before).limit(REMOVED_MAX),
      )
      .executeTakeFirst();
    last = Number(numDeletedRows);
  }
  if (removed > 0) log.debug({ removed }, 'removed tasks whose time is over');
}

/** Of somebody who leaves. What vendors still work on is charged or given back by its row, which says nothing any more. */
export async function removeTasksOf(trx: Transaction<Schema>, userId: number): Promise<void> {
  await trx.deleteFrom('task').where('user_id', '=', userId).where('ended_at', 'is not', null).execute();
  await trx
    .updateTable('task')
    .set({ prompt: '', request: '{}', news: NOTHING_SAID, notify_url: '', notify_site: '', notify_at: null })
    .where('user_id', '=', userId)
    .execute();
}

/** What is stored about somebody's tasks, for themselves; the newest. */
export function tasksOf({ db }: Pick<Context, 'db'>, userId: number) {
  return db.reader
    .selectFrom('task')
    .select([
      'id',
      'action',
      'model',
      'status',
      'prompt',
      'request',
      'failure',
      'charge',
      'created_at',
      'ended_at',
    ])
    .where('user_id', '=', userId)
    .orderBy('created_at', 'desc')
    .limit(EXPORTED_MAX)
    .execute();
}
