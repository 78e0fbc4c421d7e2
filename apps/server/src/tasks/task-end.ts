import type { TaskUpdate } from '@switchyard/relay';
import { findActiveStore, newStoredArtifact, type StoredArtifact } from '../artifacts/artifacts.ts';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import {
  computeFinalCharge,
  createFailureRecord,
  createFreeRecord,
  markFailed,
  type TaskTerms,
} from './task-final-charge.ts';
import { type StoredStatusUpdate, scheduleCallback, type TaskRow, updateOpenTasks } from './task-store.ts';

export type TaskResult = { news?: string } & ({ made: TaskSuccess } | TaskFailure);

interface TaskFailure {
  failure: string;
  /** True if the vendor bills the task, which is charged as submitted. */
  isBilled?: boolean;
}

interface TaskSuccess extends Pick<TaskUpdate, 'usage'> {
  /** `free` for a modal task that was closed. */
  billing: 'paid' | 'free';
}

/**
 * Charges for a task, or releases its hold, and only then records its end: when the process dies in between, the next
 * poll repeats it, and the ledger, which ends a hold once, does nothing then. Two polls may overlap, in one process
 * or on two nodes, and get different updates. The first to reach the ledger decides; the row must agree with it, or
 * the owner would pay for a task that is shown as failed.
 */
export async function endTask(ctx: Context, id: string, end: TaskResult): Promise<void> {
  const task = await ctx.db.writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirst();
  if (task === undefined || task.ended_at !== null) return;
  const now = nowSeconds(ctx.clock);
  const charge = await settleTaskHold(ctx, task, end, now);
  const isBilledFailure = 'failure' in end && end.isBilled === true;
  const isDone = charge !== undefined && !isBilledFailure;
  // The poll that reached the ledger first records the end, with the artifacts. If its process has died, a later poll
  // does.
  if (isDone !== 'made' in end && now < task.deadline_at) return;
  const failure = isDone ? '' : 'failure' in end ? end.failure.slice(0, FAILURE_MAX) : RELEASED_REASON;
  const { news = task.news, stored } = isDone ? selectArtifactsToStore(ctx, task, end.news) : { ...end, stored: [] };
  const values: Partial<TaskRow> = {
    status: isDone ? 'succeeded' : 'failed',
    ...(isDone ? { progress: 100 } : {}),
    failure,
    charge: charge ?? 0,
    ended_at: now,
    ...scheduleCallback(task, now),
    news,
  };
  if (stored.length === 0) return updateOpenTasks(ctx, [[id, values]]);
  try {
    await updateOpenTasks(ctx, [[id, values, stored]]);
  } catch (error) {
    // The task was charged: its owner must see that it has ended, and gets its artifacts from the vendor.
    ctx.log.error({ err: error, task: id }, 'the artifacts of a task could not be stored');
    return updateOpenTasks(ctx, [[id, { ...values, news: end.news ?? task.news }]]);
  }
  await ctx.changes.publish({ topic: 'works' });
}

/** Returns the artifacts to store, and the status update with the ids of their stored copies. */
function selectArtifactsToStore(
  ctx: Context,
  { id: task_id, channel_id }: TaskRow,
  news: string | undefined,
): { news: string | undefined; stored: StoredArtifact[] } {
  const store = findActiveStore(ctx);
  if (news === undefined || store === undefined) return { news, stored: [] };
  const status = JSON.parse(news) as StoredStatusUpdate;
  const stored = status.works.flatMap(({ at }, nth) => {
    if (at === undefined) return [];
    return [newStoredArtifact(ctx, { task_id, user_id: null, nth, store }, `channel:${channel_id}`)];
  });
  const ids = Object.fromEntries(stored.map(({ nth, id }) => [nth, id]));
  return { news: JSON.stringify({ ...status, stored: ids } satisfies StoredStatusUpdate), stored };
}

const FAILURE_MAX = 1_000;
/** Failure of a task whose hold was released by a poll that died before it wrote the row. */
const RELEASED_REASON = 'The provider could not complete the task.';

/** @returns the points that the ledger charged; undefined when the hold was released */
function settleTaskHold({ ledger }: Context, task: TaskRow, end: TaskResult, now: number): Promise<number | undefined> {
  const terms = JSON.parse(task.terms) as TaskTerms;
  const id = task.request_id;
  if ('failure' in end) {
    const failure = end.failure.slice(0, FAILURE_MAX);
    if (end.isBilled !== true) return ledger.settleLasting(id, createFailureRecord(terms, failure, now));
    const { charge, record } = computeFinalCharge(terms, {}, now);
    return ledger.settleLasting(id, markFailed(record, failure), charge);
  }
  const { usage = {}, billing } = end.made;
  if (billing === 'free') return ledger.settleLasting(id, createFreeRecord(terms, now), 0);
  const charge = computeFinalCharge(terms, usage, now);
  return ledger.settleLasting(id, charge.record, charge.charge, computeFinalCharge(terms, {}, now));
}
