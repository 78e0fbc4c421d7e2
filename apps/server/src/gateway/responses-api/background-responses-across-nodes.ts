/**
 * Background responses across nodes: the generating node holds a lease. Another node fails the responses of a node
 * that died; a cancellation for another node is stored in the task.
 */
import type { TaskArtifact } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import type { Lease } from '../../db/leases.ts';
import { readWrittenCharge } from '../../ledger/ledger.ts';
import { nowSeconds, sleep } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import {
  findResponse,
  isCompleted,
  type StoredResponse,
  updateResponse,
} from '../../stored-responses/stored-responses.ts';
import { endLocalTask, listOpenLocalTasks, type TaskRow } from '../../tasks/tasks.ts';

export const INTERRUPTED = 'The gateway stopped before the response was complete.';

const FORMAT = 'openai-responses';
/** Milliseconds for which a cancellation waits for the other node, which checks every second. */
const CANCEL_MS = 5_000;
const CANCEL_CHECK_MS = 250;

/** Seconds after a charge within which its node stores the response. */
const STORED_WITHIN_SECONDS = 30;

const leaseName = (id: string): string => `making:${id}`;

/** @throws when the database is unreachable */
export async function acquireResponseLease({ leases }: Context, id: string): Promise<Lease> {
  const [lease] = await leases.acquire([leaseName(id)]);
  if (lease === undefined) throw new Error('A new response already has a lease');
  return lease;
}

type ListArtifacts = (response: StoredResponse['response']) => [TaskArtifact];

/** Fails the responses that no node generates any more. @param worksOf returns the artifacts of a stored response */
export async function failInterrupted(ctx: Context, worksOf: ListArtifacts): Promise<void> {
  const tasks = await listOpenLocalTasks(ctx, FORMAT);
  const leases = await ctx.leases.acquire(tasks.map(({ id }) => leaseName(id)));
  const free = new Map(leases.map((lease) => [lease.name, lease]));
  for (const task of tasks) {
    const lease = free.get(leaseName(task.id));
    if (lease === undefined) continue;
    // The next sweep tries again, for which no node must hold the lease.
    const attempt = failResponse(ctx, task, worksOf).finally(() => lease.release());
    await attempt.catch((error: unknown) =>
      ctx.log.error({ err: error, response: task.id }, 'an interrupted response could not be ended'),
    );
  }
}

async function failResponse(ctx: Context, task: TaskRow, worksOf: ListArtifacts): Promise<void> {
  const stored = await findResponse(ctx, task.user_id, task.id);
  if (stored !== undefined && isCompleted(stored)) return endLocalTask(ctx, task, { works: worksOf(stored.response) });
  if (await mayStillComplete(ctx, task)) return;
  const error = { code: 'server_error', message: INTERRUPTED };
  if (stored !== undefined)
    await updateResponse(ctx, task.user_id, { ...stored.response, id: task.id, status: 'failed', error });
  await endLocalTask(ctx, task, { failure: INTERRUPTED });
}

/**
 * Returns whether the charge of a generated response is written. Only then may the response be stored, even if another
 * node has failed it meanwhile. False if another node has ended its hold, so that it is not charged.
 * @param points charge, if it is known
 * @throws AppError `unavailable` while the charge waits for the storage
 */
export async function isResponseCharged(
  { db, ledger }: Pick<Context, 'db' | 'ledger'>,
  requestId: string,
  points = 0,
): Promise<boolean> {
  const written = await readWrittenCharge(db.writer, requestId);
  if (written !== undefined && written >= points) return true;
  if ((await ledger.readCharge(requestId)) === written) return false;
  throw new AppError('unavailable', 'The charge of this response has not been written yet. Retry in a moment.');
}

/**
 * Returns whether the node that generated a response may still charge or store it. A node that is cut off from the
 * database loses the lease, but keeps its hold for longer, and charges a response that it received meanwhile. A single
 * node looks only at its start, when no other process is left.
 */
async function mayStillComplete({ db, clock, leases }: Context, { request_id }: TaskRow): Promise<boolean> {
  if (!leases.isShared) return false;
  const hold = db.writer.selectFrom('hold').select('request_id').where('request_id', '=', request_id);
  if ((await hold.executeTakeFirst()) !== undefined) return true;
  const charge = await db.writer
    .selectFrom('ledger_entry')
    .select('created_at')
    .where('kind', '=', 'charge')
    .where('ref', '=', request_id)
    .executeTakeFirst();
  return charge !== undefined && charge.created_at > nowSeconds(clock) - STORED_WITHIN_SECONDS;
}

/**
 * Requests the cancellation; resolves when the generating node has ended the response, or after a timeout. Ignores
 * other users' responses.
 */
export async function cancelOnOtherNode(ctx: Context, userId: number, id: string): Promise<void> {
  if (!ctx.leases.isShared) return;
  const updated = await ctx.db.writer
    .updateTable('task')
    .set({ deadline_at: nowSeconds(ctx.clock) })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('client_format', '=', FORMAT)
    .where('channel_id', '=', 0)
    .where('ended_at', 'is', null)
    .executeTakeFirst();
  if (updated.numUpdatedRows === 0n) return;
  for (let waited = 0; waited < CANCEL_MS; waited += CANCEL_CHECK_MS) {
    await sleep(ctx.clock, CANCEL_CHECK_MS);
    const open = await ctx.db.writer
      .selectFrom('task')
      .select('id')
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    if (open === undefined) return;
  }
}

/** Returns the ids among these that were cancelled on another node. */
export async function findCancelledElsewhere(ctx: Context, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await ctx.db.writer
    .selectFrom('task')
    .select('id')
    .where('id', 'in', ids)
    .where('deadline_at', '<=', nowSeconds(ctx.clock))
    .execute();
  return rows.map(({ id }) => id);
}
