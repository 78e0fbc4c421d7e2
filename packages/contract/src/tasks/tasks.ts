/** Tasks, which continue after their request: videos, images, songs, responses. Screens list open and ended ones. */
import { z } from 'zod';
import { seconds } from '../accounts/account-fields.ts';
import { apiKeyId, channelId, userId } from '../ids.ts';
import { points } from '../money.ts';
import { listQuery, paged, routes } from '../route.ts';

/** Protocols by which tasks are submitted. */
export const taskPlatforms = ['videos', 'kling', 'midjourney', 'suno', 'responses'] as const;
export const taskPlatform = z.enum(taskPlatforms);
export type TaskPlatform = z.output<typeof taskPlatform>;

export const taskStatuses = ['queued', 'running', 'succeeded', 'failed'] as const;
export const taskStatus = z.enum(taskStatuses);
export type TaskStatus = z.output<typeof taskStatus>;

/** Artifact of a task. */
export const artifact = z.object({
  kind: z.enum(['video', 'image', 'audio', 'text']),
  /** Path of the artifact below this site; empty for a text. */
  path: z.string(),
  /** True if the operator's copy has been deleted. */
  expired: z.boolean(),
  text: z.string(),
  title: z.string(),
  /** Seconds; null: unknown. */
  seconds: z.number().nullable(),
});
export type Artifact = z.output<typeof artifact>;

export const task = z.object({
  id: z.string(),
  platform: taskPlatform,
  /** Action in lower case, such as `imagine`, `music`, `text2video`. */
  action: z.string(),
  status: taskStatus,
  /** Percent. */
  progress: z.int(),
  model_name: z.string(),
  prompt: z.string(),
  /** Prompt as the vendor understood it; empty where the vendor does not report it. */
  prompt_en: z.string(),
  works: z.array(artifact),
  /** Reason of the failure; empty without one. */
  fail_reason: z.string(),
  /** Points held until the task ends. */
  expected: points,
  /** Points charged; null while the task is open. */
  quota: points.nullable(),
  /** Request id of the submission, under which the log has the receipt. */
  request_id: z.string(),
  created_at: seconds,
  started_at: seconds.nullable(),
  ended_at: seconds.nullable(),
  user_id: userId,
  username: z.string(),
  token_id: apiKeyId.nullable(),
  token_name: z.string(),
  group: z.string(),
  /** Staff only; null for others, and before a channel accepted the task. */
  channel: z.object({ id: channelId, name: z.string() }).nullable(),
  /** Id of the task at the vendor. Staff only; empty for others. */
  upstream_id: z.string(),
});
export type Task = z.output<typeof task>;

const ownFilters = {
  /** Absent: all. */
  platform: taskPlatform.optional(),
  action: z.string().max(64).optional(),
  status: taskStatus.optional(),
  task_id: z.string().max(100).optional(),
  model_name: z.string().max(128).optional(),
  token_name: z.string().max(64).optional(),
  token_id: apiKeyId.optional(),
  start_timestamp: z.coerce.number().int().optional(),
  end_timestamp: z.coerce.number().int().optional(),
};
const allFilters = {
  ...ownFilters,
  username: z.string().max(64).optional(),
  user_id: userId.optional(),
  channel_id: channelId.optional(),
};

/** Excludes the channel, which users don't see: the order would reveal which tasks had the same one. */
const ownSortable = ['created_at', 'ended_at', 'action', 'status'] as const;
const allSortable = [...ownSortable, 'channel_id', 'user_id'] as const;

export const tasks = routes({
  list: {
    method: 'GET',
    path: '/api/task/',
    access: 'records.read',
    summary: 'List the tasks of all users',
    query: listQuery(allSortable, allFilters),
    answer: paged(task),
  },
  listOwn: {
    method: 'GET',
    path: '/api/task/self',
    access: 'user',
    summary: 'List your tasks',
    query: listQuery(ownSortable, ownFilters),
    answer: paged(task),
  },
});

/**
 * Path of an artifact for browsers; accessible to its owner and to staff who may read records. The response is the
 * video, image or song itself, without the envelope.
 */
export const artifactPath = (taskId: string, nth: number): string => `/api/task/${taskId}/work/${nth}`;

/** Returns the task and the artifact that a path names. */
export function parseArtifactPath(path: string): { taskId: string; nth: number } | undefined {
  const [, taskId, nth] = /^\/api\/task\/([\w-]{1,100})\/work\/(\d{1,3})$/.exec(path) ?? [];
  return taskId === undefined ? undefined : { taskId, nth: Number(nth) };
}
