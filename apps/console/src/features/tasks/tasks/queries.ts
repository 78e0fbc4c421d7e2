import { createClient } from '@switchyard/contract/client';
import type { RouteCall } from '@switchyard/contract/route';
import { type Task, tasks } from '@switchyard/contract/tasks/tasks';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { send } from '../../../api.ts';

const api = createClient(tasks, send);
const all = ['tasks'] as const;

export type TaskListQuery = NonNullable<RouteCall<typeof tasks.list>['query']>;
/** Scope of the list: staff see all users' tasks, others only their own. */
export type Scope = 'everybody' | 'own';

/** Refetch interval while a task on the page is open, and `LATER_MS` otherwise. */
const SOON_MS = 3_000;
const LATER_MS = 30_000;

const listTasks = (scope: Scope, query: TaskListQuery, signal?: AbortSignal) =>
  scope === 'everybody' ? api.list({ query }, signal) : api.listOwn({ query }, signal);

const isOpen = ({ status }: Pick<Task, 'status'>): boolean => status === 'queued' || status === 'running';

/** @param key identifies the filter by its texts */
export function taskListQuery(scope: Scope, key: unknown, query: () => TaskListQuery) {
  return queryOptions({
    queryKey: [...all, 'list', scope, key],
    queryFn: ({ signal }) => listTasks(scope, query(), signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.data.some(isOpen) === true ? SOON_MS : LATER_MS),
  });
}

/** Query for one task; null when it does not exist. */
export function taskQuery(scope: Scope, id: string) {
  return queryOptions({
    queryKey: [...all, 'one', scope, id],
    queryFn: async ({ signal }) => (await listTasks(scope, { task_id: id }, signal)).data[0] ?? null,
    refetchInterval: ({ state }) => (state.data != null && isOpen(state.data) ? SOON_MS : false),
  });
}
