import type { TaskNews } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { newStoredWork, type StoredWork, storeInUse } from '../works/works.ts';
import { callbackDue, type StoredNews, type TaskRow, updateOpen } from './task-store.ts';
import { chargeAtEnd, failureAtEnd, freeAtEnd, type TaskTerms } from './task-terms.ts';

type End = { news?: string } & ({ made: Pick<TaskNews, 'usage' | 'works'> } | { failure: string });

/**
 * Charges for a task, or gives its hold back, and only then notes its end: when the process dies in between, the next
 * look does it again, and the ledger, which ends a hold once, does nothing then.
 */
export async function endTask(ctx: Context, id: string, end: End): Promise<void> {
  const task = await ctx.db.writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirst();
  if (task === undefined || task.ended_at !== null) return;
  const now = nowSeconds(ctx.clock);
  const charge = await endHold(ctx, task, end, now);
  const isDone = charge !== undefined;
  const failure = isDone || !('failure' in end) ? '' : end.failure.slice(0, FAILURE_MAX);
  const { news = task.news, stored } = isDone ? worksToStore(ctx, task, end.news) : { ...end, stored: [] };
  await updateOpen(ctx, [
    [
      id,
      {
        status: isDone ? 'succeeded' : 'failed',
        ...(isDone ? { progress: 100 } : {}),
        failure,
        charge: charge ?? 0,
        ended_at: now,
        ...callbackDue(task, now),
        news,
      },
      stored,
    ],
  ]);
  if (stored.length > 0) await ctx.changes.publish({ topic: 'works' });
}

/** The works that are to be stored, and the news with the ids under which they will be. */
function worksToStore(
  ctx: Context,
  { id: task_id, channel_id }: TaskRow,
  news: string | undefined,
): { news: string | undefined; stored: StoredWork[] } {
  const store = storeInUse(ctx);
  if (news === undefined || store === undefined) return { news, stored: [] };
  const told = JSON.parse(news) as StoredNews;
  const stored = told.works.flatMap(({ at }, nth) => {
    if (at === undefined) return [];
    return [newStoredWork(ctx, { task_id, user_id: null, nth, store }, `channel:${channel_id}`)];
  });
  const ids = Object.fromEntries(stored.map(({ nth, id }) => [nth, id]));
  return { news: JSON.stringify({ ...told, stored: ids } satisfies StoredNews), stored };
}

const FAILURE_MAX = 1_000;

/** @returns points; undefined when it was given back */
async function endHold(
  { ledger }: Context,
  task: TaskRow,
  end: End,
  now: number,
): Promise<number | undefined> {
  const terms = JSON.parse(task.terms) as TaskTerms;
  // It was charged before this process began: that it succeeded was seen then.
  const charged = await ledger.chargeOf(task.request_id);
  if (charged !== undefined) return charged;
  if ('failure' in end) {
    await ledger.endLasting(task.request_id, failureAtEnd(terms, end.failure, now));
    return undefined;
  }
  const { usage = {}, works } = end.made;
  const isFree = terms.isWindow === true && works.length === 0;
  const { charge, record } = isFree
    ? { charge: 0, record: freeAtEnd(terms, now) }
    : chargeAtEnd(terms, usage, now);
  await ledger.endLasting(task.request_id, record, charge);
  return charge;
}
