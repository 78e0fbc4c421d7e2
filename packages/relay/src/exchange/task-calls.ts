/** Calls about tasks: polling at the vendor, and encoding for the client. */
import { embeddedError, withoutBlanks } from '../errors/answer-errors.ts';
import { readError } from '../errors/read-error.ts';
import { UpstreamError } from '../errors/upstream-error.ts';
import { type JsonObject, objectOf, parseToolJson, writtenOut } from '../json/json.ts';
import type { ResponseHeaders } from '../model/exchange.ts';
import type { FormatId, UpstreamFormatId } from '../model/format-id.ts';
import type { Target } from '../model/provider.ts';
import { isAboutTask } from '../model/task-status.ts';
import type { ClientTasks, TaskNews, TaskView, UpstreamOrders, Work } from '../model/task-types.ts';
import { callUrl, readHeaders } from '../provider-kit/upstream-call.ts';
import { redactorOf } from '../translate/redact.ts';
import { dialectOf, upstreamDialectOf } from './dialects.ts';

export interface TaskCall {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: Buffer;
}

/**
 * Returns the maximum number of an account's tasks in one poll, and the age in seconds at which an open task counts as
 * failed.
 */
export function orderLimits(format: UpstreamFormatId): Pick<UpstreamOrders, 'together' | 'lastsSeconds'> {
  return ordersOf(format);
}

/**
 * Returns the charge for a task that its vendor reports as done without an artifact; undefined if the artifact may
 * still come.
 * @param before the vendor's previous status of the task
 */
export function endWithoutWorks(
  format: UpstreamFormatId,
  action: string,
  before: JsonObject,
): 'paid' | 'free' | undefined {
  return ordersOf(format).withoutWorks?.(action, before);
}

/** @param ids the vendor's, at most as many as may be asked about together. @param action theirs */
export function taskQuestion(
  format: UpstreamFormatId,
  target: Target,
  ids: readonly string[],
  action: string,
): TaskCall {
  const { path, body } = ordersOf(format).question(ids, action);
  const url = orderUrl(target, path);
  if (body === undefined) return { method: 'GET', url, headers: readHeaders(target, url, 'GET') };
  const bytes = Buffer.from(JSON.stringify(body));
  const headers = { ...readHeaders(target, url, 'POST', bytes), 'content-type': 'application/json' };
  return { method: 'POST', url, headers, body: bytes };
}

/**
 * The vendor's answer to a question about these, and no other tasks. The words of a failure never contain the account's credentials.
 * @throws UpstreamError when it is none
 */
export function readTasks(
  format: UpstreamFormatId,
  target: Target,
  ids: readonly string[],
  answer: { status: number; headers: ResponseHeaders; text: string },
): readonly TaskNews[] {
  const { status, headers, text } = answer;
  if (status < 200 || status > 299) throw readError(target, status, headers, Buffer.from(text));
  // Ids may be long integers.
  const json = writtenOut(parseToolJson(text));
  if (typeof json !== 'object' || json === null)
    throw new UpstreamError('garbled', 'The upstream sent a response that is not JSON.', { status });
  const orders = ordersOf(format);
  const error = orders.together === 1 ? errorOfQuestion(json, ids, target) : undefined;
  if (error !== undefined) throw error;
  const redact = redactorOf(target);
  // A vendor may list any number of tasks that nobody asked about.
  const newsById = new Map(orders.read(json, ids).map((news) => [news.id, news]));
  return ids
    .flatMap((id) => newsById.get(id) ?? [])
    .map((news) => (news.failure === undefined ? news : { ...news, failure: redact(news.failure) }));
}

/** Returns the error that a vendor answers in the place of a task's state: the task may go on all the same. */
function errorOfQuestion(
  answer: object,
  [id = '']: readonly string[],
  target: Target,
): UpstreamError | undefined {
  if (Array.isArray(answer)) return embeddedError(answer, target);
  const said = objectOf(answer);
  return isAboutTask(said, id) ? undefined : embeddedError(withoutBlanks(said), target);
}

/** Returns the request for the seed of a midjourney-proxy's image. https://github.com/novicezk/midjourney-proxy */
export function seedQuestion(target: Target, id: string): TaskCall {
  const url = callUrl(target, `/mj/task/${encodeURIComponent(id)}/image-seed`);
  return { method: 'GET', url, headers: readHeaders(target, url) };
}

/** A call for a finished work; one that lies at the account takes its credentials, and no other does. */
export function workCall(target: Target, { at = '' }: Pick<Work, 'at'>): Omit<TaskCall, 'body'> {
  if (!at.startsWith('/')) return { method: 'GET', url: at, headers: {} };
  const url = orderUrl(target, at);
  return { method: 'GET', url, headers: { ...readHeaders(target, url), accept: '*/*' } };
}

/**
 * Returns true if a URL is at the channel's own origin. A vendor chose any other origin, and a vendor must not decide
 * which internal addresses this gateway calls.
 */
export function isAtAccount({ baseUrl }: Pick<Target, 'baseUrl'>, url: string): boolean {
  const origin = URL.parse(url)?.origin;
  return origin !== undefined && origin === URL.parse(baseUrl)?.origin;
}

function orderUrl(target: Target, path: string): string {
  return callUrl(target, target.provider.orderPath?.(target, path) ?? path);
}

/** Encodes a task in the client's dialect. */
export function encodeTask(format: FormatId, task: TaskView, to: 'orderer' | 'asker' | 'callback'): string {
  const tasks = clientTasks(format);
  if (to === 'orderer') return JSON.stringify(tasks.ordered(task));
  if (to === 'callback' && tasks.told !== undefined) return JSON.stringify(tasks.told(task));
  return JSON.stringify(tasks.shown(task));
}

/** @throws Error when no orders are given in this dialect */
export function clientTasks(format: FormatId): ClientTasks {
  const { tasks } = dialectOf(format);
  if (tasks === undefined) throw new Error(`${format} does not support tasks`);
  return tasks;
}

/** @throws Error when it takes none */
export function ordersOf(format: UpstreamFormatId): UpstreamOrders {
  const { orders } = upstreamDialectOf(format);
  if (orders === undefined) throw new Error(`${format} does not support task submissions`);
  return orders;
}
