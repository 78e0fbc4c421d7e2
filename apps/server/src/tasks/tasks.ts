/** Work that goes on after its request: followed until it ends, and shown to whoever ordered it. */
import type { FormatId, TaskView, UpstreamFormatId } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { hasPublicAddress, publicAddress } from '../platform/public-address.ts';
import { endTask } from './task-end.ts';
import { type FindAccount, startTaskEngine, type TaskAccount } from './task-engine.ts';
import { findTask, type TaskRow, viewOf } from './task-store.ts';

export { type FindAccount, storedNews } from './task-engine.ts';
export { insertTask, newTaskId, type TaskRow } from './task-store.ts';
export type { TaskTerms } from './task-terms.ts';

export interface Tasks {
  /** Undefined also for somebody else's. */
  find(userId: number, id: string): Promise<TaskRow | undefined>;
  /** Whoever it belongs to, for works that are shown to whoever knows the id. */
  findAnybodys(id: string): Promise<TaskRow | undefined>;
  /** A user's among these, in no order. */
  findAll(userId: number, ids: readonly string[]): Promise<TaskRow[]>;
  /** As its owner may see it. */
  view(row: TaskRow): TaskView;
  /** A user's tasks that were ordered in one of these dialects, the newest first unless asked otherwise. */
  page(userId: number, formats: readonly FormatId[], page: TaskPage): Promise<TaskRow[]>;
  /** The vendor says that there is news of its orders: the next look is due. Nothing else is believed. */
  lookSoon(format: UpstreamFormatId, upstreamId: string): Promise<void>;
  /** Ends one that opened a window, now that the window is answered; its vendor goes on under the same name. */
  handOver(id: string): Promise<void>;
  /** Forgets one that has ended. */
  remove(id: string): Promise<void>;
  account(channelId: number, keyId: string): Promise<TaskAccount>;
  /** Looks at what is due now, and waits for it. */
  look(): Promise<void>;
  close(): Promise<void>;
}

interface TaskPage {
  limit: number;
  /** The id of the last one before. */
  after: string | undefined;
  isAscending: boolean;
}

export function createTasks(ctx: Context, account: FindAccount): Tasks {
  const engine = startTaskEngine(ctx, account);
  return {
    account,
    find: (userId, id) => findTask(ctx, userId, id),
    findAnybodys: (id) =>
      ctx.db.writer.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirst(),
    findAll: (userId, ids) =>
      ctx.db.writer
        .selectFrom('task')
        .selectAll()
        .where('id', 'in', ids)
        .where('user_id', '=', userId)
        .execute(),
    view: (row) => viewOf(row, hasPublicAddress(ctx) ? publicAddress(ctx) : ''),
    page: (userId, formats, page) => pageOf(ctx, userId, formats, page),
    async lookSoon(format, upstreamId) {
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
    handOver: (id) => endTask(ctx, id, { works: {} }),
    async remove(id) {
      await ctx.db.writer.deleteFrom('task').where('id', '=', id).where('ended_at', 'is not', null).execute();
    },
    look: () => engine.look(),
    close: () => engine.close(),
  };
}

async function pageOf(
  ctx: Context,
  userId: number,
  formats: readonly FormatId[],
  { limit, after, isAscending }: TaskPage,
): Promise<TaskRow[]> {
  const last = after === undefined ? undefined : await findTask(ctx, userId, after);
  const direction = isAscending ? 'asc' : 'desc';
  return ctx.db.writer
    .selectFrom('task')
    .selectAll()
    .where('user_id', '=', userId)
    .where('client_format', 'in', formats)
    .$if(last !== undefined, (query) =>
      query.where((eb) =>
        eb(
          eb.refTuple('created_at', 'id'),
          isAscending ? '>' : '<',
          eb.tuple(last?.created_at ?? 0, last?.id ?? ''),
        ),
      ),
    )
    .orderBy('created_at', direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute();
}
