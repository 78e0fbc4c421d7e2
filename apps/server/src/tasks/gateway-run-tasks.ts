/** Tasks that this server runs itself: no vendor is polled, and their request has its own hold. */
import type { DialectId, TaskArtifact } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { serializeStatusUpdate } from './task-poller.ts';
import { type TaskRow, updateOpenTasks } from './task-store.ts';

/** UTC seconds of a due time that is never reached. */
const NEVER = 9_999_999_999;
const FAILURE_MAX = 1_000;

export type LocalTask = Pick<
  TaskRow,
  'id' | 'request_id' | 'user_id' | 'api_key_id' | 'group_symbol' | 'client_format' | 'action' | 'model' | 'prompt'
>;

/** @param task has the `request_id` of the request that does the work */
export async function insertLocalTask({ db, clock }: Context, task: LocalTask): Promise<void> {
  await db.writer
    .insertInto('task')
    .values({
      ...task,
      channel_id: 0,
      channel_key_id: '',
      upstream_format: task.client_format,
      upstream_id: task.id,
      origin_id: null,
      upstream_model: task.model,
      status: 'queued',
      progress: 0,
      request: '{}',
      news: serializeStatusUpdate({ id: task.id, status: 'queued', works: [], said: {} }),
      failure: '',
      expected: 0,
      charge: null,
      terms: '{}',
      notify_url: '',
      notify_site: '',
      notify_at: null,
      notify_tries: 0,
      created_at: nowSeconds(clock),
      started_at: null,
      ended_at: null,
      deadline_at: NEVER,
      next_look_at: NEVER,
      failed_looks: 0,
    })
    .execute();
}

export async function startLocalTask(ctx: Context, id: string, prompt: string): Promise<void> {
  await updateOpenTasks(ctx, [[id, { status: 'running', prompt, started_at: nowSeconds(ctx.clock) }]]);
}

interface LocalTaskResult {
  works: readonly TaskArtifact[];
  /** Id under which a vendor stores the result. */
  upstreamId?: string;
}

/** Ends a local task, after its request was charged or released. */
export async function endLocalTask(
  ctx: Context,
  { id, request_id }: Pick<TaskRow, 'id' | 'request_id'>,
  end: LocalTaskResult | { failure: string },
): Promise<void> {
  const record = await ctx.db.writer
    .selectFrom('usage_record')
    .select('channel_id')
    .where('request_id', '=', request_id)
    .executeTakeFirst();
  const works = 'works' in end ? end.works : [];
  const status = 'works' in end ? ('succeeded' as const) : ('failed' as const);
  await updateOpenTasks(ctx, [
    [
      id,
      {
        status,
        ...('works' in end
          ? { progress: 100, upstream_id: end.upstreamId ?? id }
          : { failure: end.failure.slice(0, FAILURE_MAX) }),
        news: serializeStatusUpdate({ id, status, works, said: {} }),
        channel_id: record?.channel_id ?? 0,
        charge: (await ctx.ledger.readCharge(request_id)) ?? 0,
        ended_at: nowSeconds(ctx.clock),
      },
    ],
  ]);
}

/** Lists the tasks that an earlier process left unfinished. */
export function listOpenLocalTasks({ db }: Context, format: DialectId): Promise<TaskRow[]> {
  return db.writer
    .selectFrom('task')
    .selectAll()
    .where('client_format', '=', format)
    .where('ended_at', 'is', null)
    .execute();
}
