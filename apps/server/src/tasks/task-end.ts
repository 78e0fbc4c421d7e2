import type { TaskNews } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { type TaskRow, updateOpen } from './task-store.ts';
import { chargeAtEnd, failureAtEnd, type TaskTerms } from './task-terms.ts';

type End = { news?: string } & ({ works: Pick<TaskNews, 'usage'> } | { failure: string });

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
  await updateOpen(ctx, [
    [
      id,
      {
        status: isDone ? 'succeeded' : 'failed',
        ...(isDone ? { progress: 100 } : {}),
        failure,
        charge: charge ?? 0,
        ended_at: now,
        ...(end.news === undefined ? {} : { news: end.news }),
      },
    ],
  ]);
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
  const charged = ledger.chargeOf(task.request_id);
  if (charged !== undefined) return charged;
  if ('failure' in end) {
    await ledger.endLasting(task.request_id, failureAtEnd(terms, end.failure, now));
    return undefined;
  }
  const { charge, record } = chargeAtEnd(terms, end.works.usage ?? {}, now);
  await ledger.endLasting(task.request_id, record, charge);
  return charge;
}
