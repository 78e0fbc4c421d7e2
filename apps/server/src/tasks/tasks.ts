/** Work that goes on after its request: followed until it ends, and shown to whoever ordered it. */
import type { FormatId } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { type FindAccount, startTaskEngine, type TaskAccount } from './task-engine.ts';
import { findTask, type TaskRow } from './task-store.ts';

export interface Tasks {
  /** Undefined also for somebody else's. */
  find(userId: number, id: string): Promise<TaskRow | undefined>;
  /** A user's tasks that were ordered in one of these dialects, the newest first unless asked otherwise. */
  page(userId: number, formats: readonly FormatId[], page: TaskPage): Promise<TaskRow[]>;
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
    page: (userId, formats, page) => pageOf(ctx, userId, formats, page),
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
