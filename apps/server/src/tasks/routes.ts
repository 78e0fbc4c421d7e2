import type { tasks } from '@switchyard/contract/tasks/tasks';
import type { Context } from '../context.ts';
import type { Handlers } from '../platform/http/mount-routes.ts';
import { listTasks } from './list-tasks.ts';

export const taskRoutes = (ctx: Context): Handlers<typeof tasks> => ({
  list: ({ query }) => listTasks(ctx, 'staff', query),
  listOwn: ({ query }, { caller }) => listTasks(ctx, caller, query),
});
