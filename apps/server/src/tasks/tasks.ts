/** Work that continues after its request: polled until it ends, and shown to its owner. */
import type { DialectId, TaskView, UpstreamDialectId } from '@switchyard/relay';
import type { Transaction } from 'kysely';
import type { Context } from '../context.ts';
import { type CursorPage, readPageAfter } from '../db/paging.ts';
import type { NewUsageRecord, Postings } from '../ledger/ledger.ts';
import { nowSeconds } from '../platform/clock.ts';
import { hasPublicAddress, requirePublicAddress } from '../platform/outbound/site-public-address.ts';
import type { Schema } from '../schema.ts';
import { type OpenTaskCosts, startOpenTaskCosts } from './open-task-costs.ts';
import { startArtifactStorage } from './store-task-artifacts.ts';
import { startTaskCallbacks } from './task-callbacks.ts';
import { createFreeRecord, type TaskTerms } from './task-final-charge.ts';
import { startTaskEngine, type TaskAccount, type TaskEngineParts } from './task-poller.ts';
import { findTask, findTaskByRequest, listOpenTaskRequests, scheduleCallback, type TaskRow } from './task-store.ts';
import { presentTask } from './task-view.ts';

export { endLocalTask, insertLocalTask, listOpenLocalTasks, startLocalTask } from './gateway-run-tasks.ts';
export type { OpenTaskCosts } from './open-task-costs.ts';
export type { TaskTerms } from './task-final-charge.ts';
export type { TaskAccount } from './task-poller.ts';
export { type FindAccount, type ModerateTask, serializeStatusUpdate } from './task-poller.ts';
export { exportTasks, removeOldTasks, removeUserEndedTasks, removeUserTasks } from './task-retention.ts';
export { insertTask, isTaskStored, newTaskId, type StoredStatusUpdate, type TaskRow } from './task-store.ts';

export interface Tasks {
  /** Resolves with undefined also for another user's task. */
  find(userId: number, id: string): Promise<TaskRow | undefined>;
  /** Finds the task that a request of the user submitted within the last day. */
  findByRequest(userId: number, requestId: string): Promise<TaskRow | undefined>;
  /** Finds a task of any user, for artifacts that are public to anyone with the id. */
  findForAnyUser(id: string): Promise<TaskRow | undefined>;
  /**
   * Takes a slot for a submission.
   * @param running requests of the user's other submissions in this process
   * @returns undefined when open tasks and submissions reach `most`
   */
  acquireSlot(submission: TaskSubmission, running: readonly string[], most: number): Promise<TaskSlot | undefined>;
  /**
   * Returns the task as its owner may see it.
   * @param site scheme and host of the owner's request, for servers without a configured address
   */
  present(row: TaskRow, site?: string): TaskView;
  /**
   * Returns the ids of a user's tasks in these dialects, one more than the limit if there are more. Rows are read one
   * by one, because each can have hundreds of kilobytes.
   */
  listIds(userId: number, formats: readonly DialectId[], page: CursorPage): Promise<string[]>;
  /** Makes the next poll of a task due now, because the vendor called back. The callback's content is ignored. */
  pollSoon(format: UpstreamDialectId, upstreamId: string): Promise<void>;
  /** Ends an answered modal task, within the transaction that begins the answer's task. */
  transferModalTask(within: { trx: Transaction<Schema>; moves: Postings }, id: string): Promise<TransferResult>;
  /** Removes an ended task. */
  remove(id: string): Promise<void>;
  findAccount(channelId: number, keyId: string): Promise<TaskAccount>;
  /** Expected costs of open tasks, by channel. */
  costs: OpenTaskCosts;
  close(): Promise<void>;
}

interface TaskParts extends TaskEngineParts {
  /** Returns whether any channel has a spending cap. */
  hasCaps: () => boolean;
}

export function createTasks(ctx: Context, parts: TaskParts): Tasks {
  const { findAccount: account } = parts;
  const engine = startTaskEngine(ctx, parts);
  const view: Tasks['present'] = (row, site = '') =>
    presentTask(row, hasPublicAddress(ctx) ? requirePublicAddress(ctx) : site, ctx.settings.resultStorage === 'link');
  const stopCallbacks = startTaskCallbacks(ctx, view);
  const stopArtifactStorage = startArtifactStorage(ctx, account);
  const costs = startOpenTaskCosts(ctx, parts.hasCaps);
  return {
    costs,
    findAccount: account,
    find: (userId, id) => findTask(ctx, userId, id),
    findByRequest: (userId, requestId) => findTaskByRequest(ctx, userId, requestId),
    findForAnyUser: (id) => ctx.db.writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirst(),
    acquireSlot: (submission, running, most) => acquireTaskSlot(ctx, submission, running, most),
    present: view,
    listIds: (userId, formats, page) => listTaskIds(ctx, userId, formats, page),
    async pollSoon(format, upstreamId) {
      const next_look_at = nowSeconds(ctx.clock);
      await ctx.db.writer
        .updateTable('task')
        .set({ next_look_at })
        .where('upstream_format', '=', format)
        .where('upstream_id', '=', upstreamId)
        .where('ended_at', 'is', null)
        .where('next_look_at', '>', next_look_at)
        .execute();
    },
    transferModalTask: (within, id) => transferModalTask(ctx, within, id),
    async remove(id) {
      await ctx.db.writer.deleteFrom('task').where('id', '=', id).where('ended_at', 'is not', null).execute();
    },
    async close() {
      await engine.close();
      await stopCallbacks();
      await stopArtifactStorage();
      await costs.close();
    },
  };
}

async function listTaskIds(
  ctx: Context,
  userId: number,
  formats: readonly DialectId[],
  { after, ...page }: CursorPage,
): Promise<string[]> {
  const last = after === undefined ? undefined : await findTask(ctx, userId, after);
  const tasks = ctx.db.writer.selectFrom('task').select(['id', 'created_at']).where('user_id', '=', userId);
  // One query for each dialect, because one for all would read and sort all tasks of the user.
  const pages = await Promise.all(
    formats.map((format) => readPageAfter(tasks.where('client_format', '=', format), last, page)),
  );
  const ascending = pages.flat().toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
  const sorted = page.isAscending ? ascending : ascending.toReversed();
  return sorted.slice(0, page.limit + 1).map(({ id }) => id);
}

/** Result of ending a modal task that was answered. */
interface TransferResult {
  /** True if its artifacts arrived first, and it was charged for them. */
  isPaid: boolean;
  /** Record to be written once the transaction is committed. */
  record?: NewUsageRecord;
}

/**
 * Ends an answered modal task, within the transaction that begins the answer's task: the vendor continues under the
 * same id, and exactly one of both holds remains, even if the process dies.
 */
async function transferModalTask(
  { ledger, clock }: Context,
  { trx, moves }: { trx: Transaction<Schema>; moves: Postings },
  id: string,
): Promise<TransferResult> {
  const window = await trx
    .selectFrom('task')
    .select(['request_id', 'terms', 'notify_url'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const now = nowSeconds(clock);
  if (!(await moves.releaseHold(window.request_id)))
    return { isPaid: (await ledger.readCharge(window.request_id)) !== undefined };
  await trx
    .updateTable('task')
    .set({ status: 'succeeded', progress: 100, charge: 0, ended_at: now, ...scheduleCallback(window, now) })
    .where('id', '=', id)
    .execute();
  return { isPaid: false, record: createFreeRecord(JSON.parse(window.terms) as TaskTerms, now) };
}

interface TaskSubmission {
  userId: number;
  requestId: string;
  /** Open task whose slot this submission takes over. */
  replacedTaskId: string | undefined;
}

/**
 * Slot of a submission that is being sent to a vendor. Nodes that share a database count them by leases, so that those
 * of a dead node are free after some seconds; a single node counts its own.
 */
interface TaskSlot {
  /** Releases the slot. Call it once the task is stored, or the submission failed. */
  release(): Promise<void>;
}

type SlotContext = Pick<Context, 'db' | 'leases'>;

const unsharedSlot: TaskSlot = { release: async () => {} };

/**
 * Takes a slot for a submission.
 * @param running requests of the user's other submissions in this process
 * @returns undefined when open tasks and submissions reach `most`
 */
async function acquireTaskSlot(
  { db, leases }: SlotContext,
  { userId, requestId, replacedTaskId }: TaskSubmission,
  running: readonly string[],
  most: number,
): Promise<TaskSlot | undefined> {
  if (!leases.isShared) {
    const stored = await listOpenTaskRequests(db.writer, userId, most, replacedTaskId);
    return new Set([...running, ...stored]).size < most ? unsharedSlot : undefined;
  }
  const prefix = `task-submission:${userId}:`;
  // The transaction is serialized across nodes, so that its count holds until it has taken the slot.
  const begin = await db.writer.transaction().execute(async (trx) => {
    const held = await leases.listHeldWithin(trx, prefix);
    const stored = await listOpenTaskRequests(trx, userId, most, replacedTaskId);
    const open = new Set([...held.map((name) => name.slice(prefix.length)), ...stored]);
    return open.size < most ? leases.acquireWithin(trx, prefix + requestId) : undefined;
  });
  if (begin === undefined) return undefined;
  const lease = begin();
  return { release: () => lease.release() };
}
