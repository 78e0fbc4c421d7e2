/**
 * Calls clients back about their tasks in their own dialect: at least once with the final state; intermediate states
 * may be skipped. Pending callbacks are rows.
 */
import { encodeTask, type TaskView } from '@switchyard/relay';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { createLaneTurns } from '../db/lane-turns.ts';
import { nowSeconds } from '../platform/clock.ts';
import { getErrorMessage } from '../platform/log.ts';
import { claimFirst, findDueInTurn, startTableQueue } from '../platform/table-queue.ts';
import type { TaskRow } from './task-store.ts';

const CONCURRENT_CALLBACKS = 20;
const TIMEOUT_MS = 10_000;
/** Delays before retries; there is none after the last one. */
const RETRY_DELAYS_SECONDS = [15, 60, 300, 900, 3_600];
const LAST_RETRY_SECONDS = 3_600;

/**
 * Starts the callbacks, one at a time per user, so that a user's hanging address doesn't delay others. Returns a
 * function that stops them.
 */
export function startTaskCallbacks(ctx: Context, view: (row: TaskRow, site: string) => TaskView): () => Promise<void> {
  const findNextUser = createLaneTurns<number>({
    table: 'task',
    lane: 'user_id',
    start: 0,
    due: 'notify_at',
    isWaiting: sql`notify_at is not null`,
  });
  return startTableQueue<TaskRow>(ctx, {
    topic: 'tasks',
    slots: CONCURRENT_CALLBACKS,
    laneOf: ({ user_id }) => String(user_id),
    claim: (running) => claimNextCallback(ctx, (now) => findNextUser(ctx.db.writer, now, running.map(Number))),
    attempt: (task, stop) =>
      callClient(ctx, task, encodeTask(task.client_format, view(task, task.notify_site), 'callback'), stop),
  });
}

/** Claims the first due callback of the next user. */
async function claimNextCallback(
  { db, clock }: Context,
  findNextUser: (now: number) => Promise<number | undefined>,
): Promise<TaskRow | undefined> {
  const now = nowSeconds(clock);
  return claimFirst(
    () =>
      findDueInTurn(
        () => findNextUser(now),
        (user) =>
          db.writer
            .selectFrom('task')
            .select(['id', 'notify_at', 'notify_tries'])
            .where('user_id', '=', user)
            .where('notify_at', '<=', now)
            .orderBy('notify_at')
            .limit(1)
            .executeTakeFirst(),
      ),
    ({ id, notify_at, notify_tries: tries }) =>
      db.writer
        .updateTable('task')
        .set({ notify_at: now + (RETRY_DELAYS_SECONDS[tries] ?? LAST_RETRY_SECONDS), notify_tries: tries + 1 })
        .where('id', '=', id)
        .where('notify_at', '=', notify_at)
        .returningAll()
        .executeTakeFirst(),
  );
}

async function callClient(ctx: Context, task: TaskRow, body: string, stop: AbortSignal): Promise<void> {
  const { id, notify_at, notify_tries, notify_url } = task;
  const refusal = await postCallback(ctx, notify_url, body, stop);
  if (refusal !== undefined && (stop.aborted || notify_tries <= RETRY_DELAYS_SECONDS.length)) return;
  if (refusal !== undefined)
    ctx.log.info({ task: id, reason: refusal }, 'the callback of a task could not be delivered');
  // Unless it changed meanwhile, and is due again.
  await ctx.db.writer
    .updateTable('task')
    .set({ notify_at: null })
    .where('id', '=', id)
    .where('notify_at', '=', notify_at)
    .execute();
}

/** Returns the reason why the client did not accept the callback; undefined if it did. */
async function postCallback(ctx: Context, url: string, body: string, stop: AbortSignal): Promise<string | undefined> {
  try {
    const { ok, status } = await ctx.outbound.public.fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', 'user-agent': 'switchyard' },
      body,
      signal: AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    return ok ? undefined : `status ${status}`;
  } catch (error) {
    // Errors of `fetch` state the reason in their cause.
    return getErrorMessage((error instanceof Error && error.cause) || error);
  }
}
