/** Endpoints by which clients of a midjourney-proxy query their tasks. https://github.com/novicezk/midjourney-proxy */
import { planSeedRequest } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import type { TaskRow } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import { midjourneyPath } from '../http/relay-paths.ts';
import { readSmallBody } from '../limits/read-request-body.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import {
  encodeNamedTasks,
  encodeTaskResponse,
  findOwnTask,
  type TaskEndpointParts,
  type TaskEndpointRequest,
} from './read-own-tasks.ts';
import { type SendArtifactParts, sendArtifact } from './send-artifact.ts';

export interface MidjourneyEndpointsParts extends SendArtifactParts, TaskEndpointParts {
  outbound: Outbound;
}

const FORMAT = 'midjourney';
const fetchPath = /^task\/([\w-]{1,100})\/(fetch|image-seed)$/;
const imagePath = /^image\/([\w-]{1,100})$/;
const LIST_PATH = 'task/list-by-condition';
const NOTIFY_PATH = 'notify';
const SEED_TIMEOUT_MS = 30_000;

/**
 * Returns whether the endpoint needs no key: images are embedded in other sites' pages, and the proxy has no key for
 * its callbacks.
 */
export function isPublicMidjourneyEndpoint(method: string, path: string): boolean {
  const below = midjourneyPath(path)?.below ?? '';
  return method === 'GET' ? imagePath.test(below) : method === 'POST' && below === NOTIFY_PATH;
}

export function isMidjourneyEndpoint(method: string, path: string): boolean {
  const below = midjourneyPath(path)?.below ?? '';
  return method === 'GET' ? fetchPath.test(below) : method === 'POST' && below === LIST_PATH;
}

/** @returns JSON; undefined once the image itself was sent. @throws RelayError */
export async function handlePublicMidjourney(
  parts: MidjourneyEndpointsParts,
  request: TaskEndpointRequest,
): Promise<string | undefined> {
  const below = midjourneyPath(request.path)?.below ?? '';
  if (below === NOTIFY_PATH) return scheduleTaskPoll(parts, request);
  const task = await parts.tasks.findForAnyUser(imagePath.exec(below)?.[1] ?? '');
  const nth = task ? parts.tasks.present(task).works.findIndex(({ kind }) => kind === 'image') : -1;
  if (task?.client_format !== FORMAT || nth === -1) throw new RelayError('not_found', 'There is no such image.');
  await sendArtifact(parts, request, { task, index: nth, followsRedirects: true });
  return undefined;
}

/** @throws RelayError */
export async function handleMidjourneyTask(
  parts: MidjourneyEndpointsParts,
  principal: Principal,
  request: TaskEndpointRequest,
): Promise<string> {
  const below = midjourneyPath(request.path)?.below ?? '';
  if (below === LIST_PATH) return encodeNamedTasks(parts, principal, FORMAT, request);
  const [, id = '', what] = fetchPath.exec(below) ?? [];
  const task = await findOwnTask(parts, principal, FORMAT, id);
  return what === 'fetch' ? encodeTaskResponse(parts, task, request) : fetchSeed(parts, task);
}

/** Polls the task that the proxy reports as changed. The callback's content is ignored. */
async function scheduleTaskPoll(parts: MidjourneyEndpointsParts, request: TaskEndpointRequest): Promise<string> {
  const { id } = await readSmallBody(request.message);
  if (typeof id === 'string') await parts.tasks.pollSoon(FORMAT, id);
  return JSON.stringify({ code: 1, description: 'success' });
}

/** Fetches the image seed from the vendor, which alone knows it. */
async function fetchSeed(parts: MidjourneyEndpointsParts, task: TaskRow): Promise<string> {
  const { target, proxy } = await parts.tasks.findAccount(task.channel_id, task.channel_key_id);
  const call = planSeedRequest(target, task.upstream_id);
  const { json } = await parts.outbound
    .fetchJson({ ...call, proxy, timeoutMs: SEED_TIMEOUT_MS })
    .catch((cause: unknown) => {
      throw new RelayError('upstream_error', 'The upstream did not return the seed.', { cause });
    });
  const { code, result } = isObject(json) ? json : {};
  if (code !== 1 || (typeof result !== 'string' && typeof result !== 'number'))
    throw new RelayError('upstream_error', 'The upstream did not return the seed.');
  return JSON.stringify({ code: 1, description: 'success', result: String(result) });
}
