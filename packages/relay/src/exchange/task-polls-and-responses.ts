/** Requests about tasks: polls of the vendor, and responses to the client. */

import { findEmbeddedError, removeBlankMembers } from '../errors/errors-in-successful-responses.ts';
import { readError } from '../errors/read-upstream-error.ts';
import { createTargetRedactor } from '../errors/redact-keys.ts';
import { UpstreamError } from '../errors/upstream-error.ts';
import { exceededLimit, type JsonObject, objectOf, parseEmbeddedJson, parseToolJson } from '../json/json.ts';
import type { DialectId, UpstreamDialectId } from '../model/dialect-id.ts';
import { isAboutTask } from '../model/parse-task-status.ts';
import type { Target } from '../model/provider.ts';
import type { ClientTasks, TaskArtifact, TaskUpdate, TaskView, UpstreamTasks } from '../model/task-types.ts';
import type { ResponseHeaders } from '../model/upstream-exchange.ts';
import { buildAccountHeaders, buildUpstreamUrl } from '../provider-kit/upstream-url-and-headers.ts';
import { parseUrl } from '../wire/parse-url.ts';
import { getDialect, getUpstreamDialect } from './dialect-registry.ts';

/**
 * Limits of a response to a poll. 50 tasks, the most that are polled together, have some 10,000 values; parsing more
 * than the limit would block other requests. Levels beyond the limit are refused when the status is stored.
 */
const POLL_LIMITS = { depth: Number.POSITIVE_INFINITY, values: 250_000 };
/** Characters of an error response that are read, as of one to a request. */
const ERROR_CHARACTERS_MAX = 65_536;

export interface TaskRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/**
 * Returns the maximum number of an account's tasks in one poll, and the age in seconds at which an open task counts as
 * failed.
 */
export function getPollLimits(format: UpstreamDialectId): Pick<UpstreamTasks, 'tasksPerPoll' | 'expirySeconds'> {
  return getUpstreamTasks(format);
}

/**
 * Returns the charge for a task that its vendor reports as done without an artifact; undefined if the artifact may
 * still come.
 * @param before vendor's previous status of the task
 */
export function chargeWithoutArtifact(
  format: UpstreamDialectId,
  action: string,
  before: JsonObject,
): 'paid' | 'free' | undefined {
  return getUpstreamTasks(format).chargeWithoutArtifact?.(action, before);
}

/** @param ids vendor's ids, at most as many as one poll allows. @param action common action of the tasks */
export function planTaskPoll(
  format: UpstreamDialectId,
  target: Target,
  ids: readonly string[],
  action: string,
): TaskRequest {
  const { path, body } = getUpstreamTasks(format).buildPoll(ids, action);
  const url = buildTaskUrl(target, path);
  if (body === undefined) return { method: 'GET', url, headers: buildAccountHeaders(target, url, 'GET') };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { ...buildAccountHeaders(target, url, 'POST', bytes), 'content-type': 'application/json' };
  return { method: 'POST', url, headers, body: bytes };
}

/**
 * Reads the vendor's response to a poll of these tasks, and ignores other tasks. Failure messages never contain the
 * account's credentials.
 * @throws UpstreamError when it is not such a response
 */
export function readTaskUpdates(
  format: UpstreamDialectId,
  target: Target,
  ids: readonly string[],
  answer: { status: number; headers: ResponseHeaders; text: string },
): readonly TaskUpdate[] {
  const { status, headers, text } = answer;
  if (status < 200 || status > 299)
    throw readError(target, status, headers, Buffer.from(text.slice(0, ERROR_CHARACTERS_MAX)));
  if (exceededLimit(text, POLL_LIMITS) !== undefined)
    throw new UpstreamError('garbled', `The upstream sent a status with more than ${POLL_LIMITS.values} values.`, {
      status,
    });
  // Ids may be long integers.
  const json = parseEmbeddedJson(parseToolJson(text));
  if (typeof json !== 'object' || json === null)
    throw new UpstreamError('garbled', 'The upstream sent a response that is not JSON.', { status });
  const orders = getUpstreamTasks(format);
  const error = orders.tasksPerPoll === 1 ? findPollError(json, ids, target) : undefined;
  if (error !== undefined) throw error;
  // A vendor may list any number of other tasks.
  const wanted = new Set(ids);
  const updates = orders.readPoll(json, ids).filter(({ id }) => wanted.has(id));
  const newsById = new Map(updates.map((news) => [news.id, news]));
  return ids
    .flatMap((id) => newsById.get(id) ?? [])
    .map((news) =>
      news.failure === undefined ? news : { ...news, failure: createTargetRedactor(target)(news.failure) },
    );
}

/** Returns the error that a vendor sends instead of a task's status; the task may continue regardless. */
function findPollError(answer: object, [id = '']: readonly string[], target: Target): UpstreamError | undefined {
  if (Array.isArray(answer)) return findEmbeddedError(answer, target);
  const said = objectOf(answer);
  return isAboutTask(said, id) ? undefined : findEmbeddedError(removeBlankMembers(said), target);
}

/** Returns the request for the seed of a midjourney-proxy's image. https://github.com/novicezk/midjourney-proxy */
export function planSeedRequest(target: Target, id: string): TaskRequest {
  const url = buildUpstreamUrl(target, `/mj/task/${encodeURIComponent(id)}/image-seed`);
  return { method: 'GET', url, headers: buildAccountHeaders(target, url) };
}

/** Plans the download of an artifact. Only a download from the account's own URL has its credentials. */
export function planArtifactRequest(target: Target, { at = '' }: Pick<TaskArtifact, 'at'>): Omit<TaskRequest, 'body'> {
  if (!at.startsWith('/')) return { method: 'GET', url: at, headers: {} };
  const url = buildTaskUrl(target, at);
  return { method: 'GET', url, headers: { ...buildAccountHeaders(target, url), accept: '*/*' } };
}

/**
 * Returns whether a URL is at the channel's own origin. A vendor chose any other origin, and must not decide which
 * internal addresses this gateway calls.
 */
export function isAccountUrl({ baseUrl }: Pick<Target, 'baseUrl'>, url: string): boolean {
  const origin = parseUrl(url)?.origin;
  return origin !== undefined && origin === parseUrl(baseUrl)?.origin;
}

function buildTaskUrl(target: Target, path: string): string {
  return buildUpstreamUrl(target, target.provider.taskPath?.(target, path) ?? path);
}

/** Encodes a task in the client's dialect. */
export function encodeTask(format: DialectId, task: TaskView, to: 'orderer' | 'asker' | 'callback'): string {
  const tasks = getClientTasks(format);
  if (to === 'orderer') return JSON.stringify(tasks.encodeSubmission(task));
  if (to === 'callback' && tasks.encodeCallback !== undefined) return JSON.stringify(tasks.encodeCallback(task));
  return JSON.stringify(tasks.encodePoll(task));
}

/** @throws Error when the dialect has no client tasks */
export function getClientTasks(format: DialectId): ClientTasks {
  const { clientTasks } = getDialect(format);
  if (clientTasks === undefined) throw new Error(`${format} does not support tasks`);
  return clientTasks;
}

/** @throws Error when the dialect has no upstream tasks */
export function getUpstreamTasks(format: UpstreamDialectId): UpstreamTasks {
  const { upstreamTasks } = getUpstreamDialect(format);
  if (upstreamTasks === undefined) throw new Error(`${format} does not support task submissions`);
  return upstreamTasks;
}
