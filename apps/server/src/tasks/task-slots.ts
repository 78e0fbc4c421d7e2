/**
 * Slots of submissions that are being sent to a vendor. Nodes that share a database count them by leases, so that
 * those of a dead node are free after some seconds; a single node counts its own.
 */
import type { Context } from '../context.ts';
import { listOpenTaskRequests } from './task-store.ts';

export interface TaskSubmission {
  userId: number;
  requestId: string;
  /** Open task whose slot this submission takes over. */
  replacedTaskId: string | undefined;
}

export interface TaskSlot {
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
export async function acquireTaskSlot(
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
