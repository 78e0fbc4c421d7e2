/** Lists tasks for the console. `tasks.ts` and its siblings poll tasks and write their rows. */
import { setImmediate } from 'node:timers/promises';
import type { ApiKeyId, ChannelId, UserId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import type { Page, RouteInput } from '@switchyard/contract/route';
import {
  type Artifact,
  artifactPath,
  type Task,
  type TaskPlatform,
  type tasks,
} from '@switchyard/contract/tasks/tasks';
import type { DialectId, TaskArtifact as MadeWork } from '@switchyard/relay';
import { sql } from 'kysely';
import type { Context } from '../context.ts';
import { equalsIgnoringCase, readPage } from '../db/paging.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Caller } from '../platform/http/caller.ts';
import { readShownUpdate } from './task-view.ts';
import type { TaskRow } from './tasks.ts';

type ListQuery = RouteInput<(typeof tasks)['list']>['query'];

/** Staff see all tasks with their channels; users see their own. */
export type TaskViewer = 'staff' | Pick<Caller, 'userId'>;

const dialectsByPlatform: Readonly<Record<TaskPlatform, readonly DialectId[]>> = {
  videos: ['openai-videos', 'openai-video-remix', 'video-generations'],
  kling: ['kling-videos'],
  midjourney: ['midjourney'],
  suno: ['suno'],
  responses: ['openai-responses'],
};

/** Columns of a list, without the request and the terms, which can be long. */
const shownColumns = [
  'task.id',
  'task.client_format',
  'task.action',
  'task.status',
  'task.progress',
  'task.model',
  'task.prompt',
  'task.news',
  'task.failure',
  'task.expected',
  'task.charge',
  'task.request_id',
  'task.created_at',
  'task.started_at',
  'task.ended_at',
  'task.user_id',
  'task.api_key_id',
  'task.group_symbol',
  'task.channel_id',
  'task.upstream_id',
] as const;

/** Characters of status updates that are parsed before other work gets a turn. */
const PRESENTED_MAX = 300_000;

/** Lists tasks, newest first by default. */
export async function listTasks(ctx: Context, viewer: TaskViewer, query: ListQuery): Promise<Page<Task>> {
  const { platform, task_id, model_name, action, status, ...others } = query;
  let rows = ctx.db.reader
    .selectFrom('task')
    .leftJoin('user', 'user.id', 'task.user_id')
    .leftJoin('api_key', 'api_key.id', 'task.api_key_id')
    .leftJoin('channel', 'channel.id', 'task.channel_id')
    .select(shownColumns)
    .select(['user.username', 'api_key.name as token_name', 'channel.name as channel_name'])
    .select((eb) =>
      eb
        .selectFrom('stored_work')
        .select(sql<string>`json_group_array(stored_work.nth)`.as('nths'))
        .whereRef('stored_work.task_id', '=', 'task.id')
        .where((work) =>
          work.or([
            work('stored_work.state', '=', 'expired'),
            work('stored_work.expires_at', '<=', nowSeconds(ctx.clock)),
          ]),
        )
        .as('expired_works'),
    );
  if (viewer !== 'staff') rows = rows.where('task.user_id', '=', viewer.userId);
  if (platform !== undefined) rows = rows.where('task.client_format', 'in', dialectsByPlatform[platform]);
  if (task_id !== undefined) rows = rows.where('task.id', '=', task_id);
  if (model_name !== undefined) rows = rows.where('task.model', '=', model_name);
  if (action !== undefined) rows = rows.where('task.action', '=', action);
  if (status !== undefined) rows = rows.where('task.status', '=', status);
  if (others.user_id !== undefined) rows = rows.where('task.user_id', '=', others.user_id);
  if (others.username !== undefined) rows = rows.where(equalsIgnoringCase('user.username', others.username));
  if (others.channel_id !== undefined) rows = rows.where('task.channel_id', '=', others.channel_id);
  if (others.token_id !== undefined) rows = rows.where('task.api_key_id', '=', others.token_id);
  if (others.token_name !== undefined) rows = rows.where('api_key.name', '=', others.token_name);
  if (others.start_timestamp !== undefined) rows = rows.where('task.created_at', '>=', others.start_timestamp);
  if (others.end_timestamp !== undefined) rows = rows.where('task.created_at', '<=', others.end_timestamp);
  const page = await readPage(rows, query, {
    columns: {
      created_at: 'task.created_at',
      ended_at: 'task.ended_at',
      channel_id: 'task.channel_id',
      user_id: 'task.user_id',
      action: 'task.action',
      status: 'task.status',
    },
    fallback: '-created_at',
    tieBreak: 'task.id',
    present: (row) => row,
  });
  return { ...page, data: await presentAll(page.data, viewer) };
}

/** Yields to other work between rows, because a status update may have 300,000 characters. */
async function presentAll(rows: readonly NamedRow[], viewer: TaskViewer): Promise<Task[]> {
  const shown: Task[] = [];
  let unread = 0;
  for (const row of rows) {
    unread += row.news.length;
    if (unread > PRESENTED_MAX) {
      await setImmediate();
      unread = row.news.length;
    }
    shown.push(present(row, viewer));
  }
  return shown;
}

type ShownColumn = (typeof shownColumns)[number] extends `task.${infer Name}` ? Name : never;
type NamedRow = Pick<TaskRow, ShownColumn> & {
  username: string | null;
  token_name: string | null;
  channel_name: string | null;
  /** JSON of the indices of artifacts that were stored and have expired. */
  expired_works: string | null;
};

function present(row: NamedRow, viewer: TaskViewer): Task {
  const { works, said } = readShownUpdate(row);
  const isStaff = viewer === 'staff';
  const promptEn = said['promptEn'];
  const expired = new Set(JSON.parse(row.expired_works ?? '[]') as number[]);
  return {
    id: row.id,
    platform: findPlatform(row.client_format),
    action: row.action,
    status: row.status,
    progress: row.progress,
    model_name: row.model,
    prompt: row.prompt,
    prompt_en: typeof promptEn === 'string' ? promptEn : '',
    works: works.map((work, nth) => presentArtifact(row.id, work, nth, expired.has(nth))),
    fail_reason: row.failure,
    expected: toPoints(row.expected),
    quota: row.charge === null ? null : toPoints(row.charge),
    request_id: row.request_id,
    created_at: row.created_at,
    started_at: row.started_at,
    ended_at: row.ended_at,
    user_id: row.user_id as UserId,
    username: row.username ?? '',
    token_id: row.api_key_id as ApiKeyId | null,
    token_name: row.token_name ?? '',
    group: row.group_symbol,
    channel: isStaff && row.channel_id !== 0 ? { id: row.channel_id as ChannelId, name: row.channel_name ?? '' } : null,
    // A local task has no other id, unless a vendor stores its result.
    upstream_id: isStaff && row.upstream_id !== row.id ? row.upstream_id : '',
  };
}

function findPlatform(format: DialectId): TaskPlatform {
  for (const [platform, of] of Object.entries(dialectsByPlatform))
    if (of.includes(format)) return platform as TaskPlatform;
  return 'videos';
}

function presentArtifact(
  id: string,
  { kind, at, text = '', title = '', seconds }: MadeWork,
  nth: number,
  expired: boolean,
): Artifact {
  return { kind, path: at === undefined ? '' : artifactPath(id, nth), expired, text, title, seconds: seconds ?? null };
}
