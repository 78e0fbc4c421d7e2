/** What becomes of orders, told to those who gave them: how far a task is, and its work. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type FormatId, readError, tellTask, workCall } from '@switchyard/relay';
import { type TaskRow, viewOf } from '../tasks/task-store.ts';
import { admitCaller } from './admit.ts';
import { errorAfter } from './after-failure.ts';
import { type Answering, answerError } from './answer.ts';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Place } from './places.ts';
import { RawAttempt } from './raw-attempt.ts';
import { RelayError } from './relay-error.ts';

const videos = /^\/v1\/videos(?:\/([\w-]{1,100})(\/content)?)?$/;
const videoFormats: readonly FormatId[] = ['openai-videos', 'openai-video-remix'];
const PAGE_MAX = 100;
const PAGE_DEFAULT = 20;
const IDLE_MS = 60_000;
const TOTAL_MS = 1_800_000;
const CONNECT_MS = 10_000;

export interface TaskLookup extends Answering {
  message: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  address: string;
  identify(): Principal | Promise<Principal>;
}

export function isTaskLookup(method: string, path: string): boolean {
  return (method === 'GET' || method === 'DELETE') && videos.test(path);
}

/** Answers the client in every case; never rejects. */
export async function answerTaskLookup(parts: GatewayParts, lookup: TaskLookup): Promise<void> {
  let place: Place | undefined;
  try {
    const principal = await lookup.identify();
    place = parts.places.enter(principal, lookup.address);
    admitCaller(parts, principal, lookup.address);
    const [, id, content] = videos.exec(lookup.path) ?? [];
    if (content !== undefined) return await sendWork(parts, lookup, await taskOf(parts, principal, id));
    const answer = await answerTo(parts, principal, lookup, id);
    lookup.client.send(200, 'application/json; charset=utf-8', answer);
  } catch (error) {
    if (lookup.client.begun) lookup.client.drop();
    else answerError(parts.log, lookup, error);
  } finally {
    place?.leave();
  }
}

async function answerTo(
  parts: GatewayParts,
  principal: Principal,
  { message, query }: TaskLookup,
  id: string | undefined,
): Promise<string> {
  if (id === undefined) return listVideos(parts, principal, query);
  const task = await taskOf(parts, principal, id);
  if (message.method !== 'DELETE') return tellTask(task.client_format, viewOf(task), 'asker');
  if (task.ended_at === null)
    throw new RelayError('invalid_request', 'A video can be deleted once it is made, or has failed.');
  await parts.tasks.remove(task.id);
  return JSON.stringify({ id, object: 'video.deleted', deleted: true });
}

/** @throws RelayError `not_found`, also for somebody else's */
async function taskOf({ tasks }: GatewayParts, { user }: Principal, id = ''): Promise<TaskRow> {
  const task = await tasks.find(user.id, id);
  if (task !== undefined && videoFormats.includes(task.client_format)) return task;
  throw new RelayError('not_found', `There is no video ${id}.`);
}

async function listVideos(
  { tasks }: GatewayParts,
  { user }: Principal,
  query: URLSearchParams,
): Promise<string> {
  const limit = Math.min(Math.max(Number(query.get('limit') ?? PAGE_DEFAULT) || PAGE_DEFAULT, 1), PAGE_MAX);
  const rows = await tasks.page(user.id, videoFormats, {
    limit: limit + 1,
    after: query.get('after') ?? undefined,
    isAscending: query.get('order') === 'asc',
  });
  const shown = rows.slice(0, limit);
  return JSON.stringify({
    object: 'list',
    data: shown.map((row): unknown => JSON.parse(tellTask(row.client_format, viewOf(row), 'asker'))),
    first_id: shown[0]?.id ?? null,
    last_id: shown.at(-1)?.id ?? null,
    has_more: rows.length > limit,
  });
}

/** The finished film itself, through here: where it lies, and with which key it is fetched, is nobody's business. */
async function sendWork(parts: GatewayParts, lookup: TaskLookup, task: TaskRow): Promise<void> {
  const { message, response, client, requestId, query } = lookup;
  const [work] = viewOf(task).works;
  if (task.status !== 'succeeded' || work?.at === undefined)
    throw new RelayError('not_found', 'This video is not ready, or nothing came of it.');
  const { target, proxy } = await parts.tasks.account(task.channel_id, task.channel_key_id);
  const call = workCall(target, work);
  const variant = query.get('variant');
  const isChosen = variant !== null && /^\w{1,20}$/.test(variant) && work.at.startsWith('/');
  const { range } = message.headers;
  const headers = {
    ...call.headers,
    'accept-encoding': 'identity',
    ...(range === undefined ? {} : { range }),
  };
  const attempt = new RawAttempt({
    response,
    client,
    idleMs: IDLE_MS,
    totalMs: TOTAL_MS,
    head: (answered) => headOf(answered, requestId),
  });
  try {
    parts.pool.dispatch(
      {
        url: isChosen ? `${call.url}?variant=${variant}` : call.url,
        headers: Object.entries(headers).flat(),
        method: 'GET',
        body: null,
        proxy,
        connectMs: CONNECT_MS,
      },
      attempt,
    );
  } catch (error) {
    attempt.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
  }
  const { status, headers: answered, error } = await attempt.done;
  if (error === undefined) {
    response.end();
    return;
  }
  const failure = readError(target, status, answered, error);
  throw errorAfter({
    outcome: 'failed',
    error: failure,
    status,
    meter: undefined,
    isDelivered: false,
    firstContentAt: 0,
    lost: [],
  });
}

const passed = ['content-type', 'content-length', 'content-range', 'accept-ranges', 'last-modified', 'etag'];

/** What a browser gets here is a film or a picture, and nothing that it would act on. */
function headOf(answered: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const told = passed.flatMap((name) => {
    const value = answered[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return {
    'x-request-id': requestId,
    'access-control-allow-origin': '*',
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
    'content-type': 'application/octet-stream',
    ...Object.fromEntries(told),
  };
}
