/**
 * Sends the content of a finished artifact: from the operator's store, else from its vendor with the channel's key,
 * which stays hidden.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { parseArtifactPath } from '@switchyard/contract/tasks/tasks';
import { isAccountUrl, planArtifactRequest, readError, type Target, type TaskArtifact } from '@switchyard/relay';
import { STORED_ARTIFACT_PATH } from '../../artifacts/artifacts.ts';
import { hasAccess } from '../../platform/http/caller.ts';
import { REDIRECTS_MAX, resolveRedirect } from '../../platform/outbound/outbound-fetch.ts';
import type { TaskRow, Tasks } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import { type WatchRightsParts, watchRights } from '../pipeline/stop-unauthorized-requests.ts';
import type { IdentifySession } from '../snapshot/authenticate-session.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import { PassthroughAttempt, type PassthroughResult } from '../upstream/passthrough-attempt.ts';
import type { UpstreamPool } from '../upstream/upstream-and-replay-pool.ts';
import type { EndpointRequest, TaskEndpointRequest } from './read-own-tasks.ts';
import {
  type ArtifactInbound,
  protectiveHeaders,
  type SendStoredArtifactParts,
  sendStoredArtifact,
} from './send-stored-artifact.ts';

const NO_ARTIFACT = 'There is no such result. Take its URL from the response of the task.';

const IDLE_MS = 60_000;
const TOTAL_MS = 1_800_000;
const CONNECT_MS = 10_000;

export interface SendArtifactParts extends SendStoredArtifactParts, WatchRightsParts {
  pool: UpstreamPool;
  /** Connection pool for addresses that a provider has sent; it shares no connection with `pool`. */
  publicPool: UpstreamPool;
  deadlines: Deadlines;
  tasks: Tasks;
}

interface ArtifactRequest {
  task: TaskRow;
  /** Index of the artifact in its task. */
  index: number;
  /** Query of an artifact that is stored at the provider, such as the name of a variant. */
  query?: string;
  /** Present if the client may be redirected to the vendor, which the operator allows to be revealed. */
  followsRedirects?: true;
}

/** @throws RelayError `work_expired` when the stored artifact has expired; `not_found` when there is none */
export async function sendArtifact(
  parts: SendArtifactParts,
  inbound: ArtifactInbound,
  { task, index, query = '', followsRedirects }: ArtifactRequest,
): Promise<void> {
  const work = parts.tasks.present(task).works[index];
  if (work?.at === undefined) throw new RelayError('not_found', NO_ARTIFACT);
  const stored = await parts.artifactStore.findByTask(task.id, index);
  if (stored !== undefined && query === '' && (await sendStoredArtifact(parts, inbound, stored))) return;
  if (followsRedirects && work.address === work.at) redirect(inbound, work.at);
  else await sendVendorArtifact(parts, inbound, task, work, query);
}

function redirect({ response, requestId }: ArtifactInbound, location: string): void {
  response.writeHead(302, { ...protectiveHeaders(requestId), location: new URL(location).href });
  response.end();
}

async function sendVendorArtifact(
  parts: SendArtifactParts,
  { message, response, client, requestId }: ArtifactInbound,
  task: TaskRow,
  work: TaskArtifact,
  query: string,
): Promise<void> {
  const { target, proxy } = await parts.tasks.findAccount(task.channel_id, task.channel_key_id);
  const { range } = message.headers;
  const forwardedHeaders = { 'accept-encoding': 'identity', ...(range === undefined ? {} : { range }) };
  const call = planArtifactRequest(target, work);
  let url = call.url + query;
  // Credentials are not sent to a redirect's target.
  let headers = { ...call.headers, ...forwardedHeaders };
  for (let sentOn = 0; ; sentOn += 1) {
    const attempt = new PassthroughAttempt({
      response,
      client,
      clock: parts.clock,
      deadlines: parts.deadlines,
      idleMs: IDLE_MS,
      totalMs: TOTAL_MS,
      buildHeaders: (answered) => buildResponseHeaders(answered, requestId),
    });
    const pool = isAccountUrl(target, url) ? parts.pool : parts.publicPool;
    fetchArtifact(pool, { url, headers, proxy }, attempt);
    const answered = await attempt.done;
    if (answered.error === undefined) {
      response.end();
      return;
    }
    const next = sentOn < REDIRECTS_MAX ? resolveRedirect(answered.status, answered.headers.location, url) : undefined;
    if (next === undefined) throw toArtifactError(target, answered, answered.error);
    url = next;
    headers = forwardedHeaders;
  }
}

function fetchArtifact(
  pool: UpstreamPool,
  { url, headers, proxy }: { url: string; headers: Record<string, string>; proxy: string },
  attempt: PassthroughAttempt,
): void {
  try {
    pool.dispatch(
      { url, headers: Object.entries(headers).flat(), method: 'GET', body: null, proxy, connectMs: CONNECT_MS },
      attempt,
    );
  } catch (error) {
    attempt.onResponseError(undefined, error instanceof Error ? error : new Error('dispatch failed'));
  }
}

function toArtifactError(target: Target, { status, headers }: PassthroughResult, body: Buffer): RelayError {
  return createClientError({
    outcome: 'failed',
    error: readError(target, status, headers, body),
    status,
    meter: undefined,
    isDelivered: false,
    firstContentAt: 0,
    unsupportedFields: [],
  });
}

const passedHeaders = ['content-length', 'content-range', 'accept-ranges', 'last-modified', 'etag'];
/** Types without a suffix such as `+xml`: browsers show those, in any case of letters, as documents. */
const artifactType = /^(?:video|image|audio)\/[\w.-]{1,60}$/i;

function buildResponseHeaders(answered: IncomingHttpHeaders, requestId: string): Record<string, string> {
  const headers = passedHeaders.flatMap((name) => {
    const value = answered[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const type = answered['content-type'] ?? '';
  return {
    ...protectiveHeaders(requestId),
    'content-type': artifactType.test(type) ? type : 'application/octet-stream',
    ...Object.fromEntries(headers),
  };
}

export function isArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && parseArtifactPath(path) !== undefined;
}

/** Sends an artifact to its owner in the console, or to staff who may read records. @throws RelayError */
export async function serveArtifact(
  parts: SendArtifactParts,
  identify: IdentifySession,
  request: EndpointRequest,
): Promise<undefined> {
  const { client, message, path } = request;
  const { caller, principal } = await identify(message, { method: 'GET', access: ['records.read', 'user'] });
  const { taskId, nth } = parseArtifactPath(path) ?? { taskId: '', nth: 0 };
  const task = hasAccess(caller, 'records.read')
    ? await parts.tasks.findForAnyUser(taskId)
    : await parts.tasks.find(caller.userId, taskId);
  if (task === undefined) throw new RelayError('not_found', NO_ARTIFACT);
  const foreign = { authorizeAgain: () => identify(message, { method: 'GET', access: ['records.read'] }, 'check') };
  const reader = { ...principal, ...(task.user_id !== caller.userId && foreign) };
  const stopWatching = watchRights(parts, { client, principal: reader, address: request.address });
  await sendArtifact(parts, request, { task, index: nth }).finally(stopWatching);
}

const plainId = /^[0-9a-f]{40}$/;

export function isStoredArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && path.startsWith(STORED_ARTIFACT_PATH);
}

/** Sends a stored artifact to anyone who knows its public address, as other sites' pages do. @throws RelayError */
export async function handleStoredArtifact(parts: SendArtifactParts, request: TaskEndpointRequest): Promise<undefined> {
  const id = request.path.slice(STORED_ARTIFACT_PATH.length);
  const stored = plainId.test(id) ? await parts.artifactStore.find(id) : undefined;
  const task = stored?.task_id ? await parts.tasks.findForAnyUser(stored.task_id) : undefined;
  if (stored !== undefined && task !== undefined) await sendArtifact(parts, request, { task, index: stored.nth });
  else if (stored?.task_id !== null || !(await sendStoredArtifact(parts, request, stored)))
    throw new RelayError('not_found', NO_ARTIFACT);
}
