import { apiKeyId, channelId, userId } from '@switchyard/contract/ids';
import { taskPlatforms, taskStatuses } from '@switchyard/contract/tasks/tasks';
import { timeFilter } from '../../../ui/filters/time-presets.ts';
import { oneOf } from '../../../ui/table/list-state.ts';
import type { Scope, TaskListQuery } from './queries.ts';

/** Names in the address; all but `time` are the contract's. */
export const filterNames = [
  'time',
  'start_timestamp',
  'end_timestamp',
  'platform',
  'status',
  'action',
  'task_id',
  'model_name',
  'token_name',
  'token_id',
  'username',
  'user_id',
  'channel_id',
] as const;
export type FilterName = (typeof filterNames)[number];
export type FilterTexts = Readonly<Record<FilterName, string | undefined>>;

/** Returns the server's query for the parameters of the address. Invalid values are left out. */
export function taskFilter(scope: Scope, texts: FilterTexts, now = new Date()): TaskListQuery {
  const own: TaskListQuery = {
    platform: oneOf(texts.platform, taskPlatforms),
    status: oneOf(texts.status, taskStatuses),
    ...timeFilter(texts, now),
    action: texts.action,
    task_id: texts.task_id,
    model_name: texts.model_name,
    token_name: texts.token_name,
    token_id: apiKeyId.safeParse(texts.token_id).data,
  };
  if (scope === 'own') return own;
  return {
    ...own,
    username: texts.username,
    user_id: userId.safeParse(texts.user_id).data,
    channel_id: channelId.safeParse(texts.channel_id).data,
  };
}
