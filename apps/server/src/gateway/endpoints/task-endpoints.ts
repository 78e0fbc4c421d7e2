/** Task endpoints: report the state of tasks to their owners in the dialect in which they were submitted. */

import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import { handleMidjourneyTask, isMidjourneyEndpoint, type MidjourneyEndpointsParts } from './midjourney-endpoints.ts';
import {
  encodeNamedTasks,
  encodeTaskResponse,
  findOwnTask,
  type TaskEndpointParts,
  type TaskEndpointRequest,
} from './read-own-tasks.ts';
import { handleVideo, isVideoEndpoint, type VideoEndpointsParts } from './video-endpoints.ts';

/** Endpoints by which clients of a Suno API proxy query their songs. https://github.com/Suno-API/Suno-API */

const sunoPath = /^\/suno\/fetch(?:\/([\w-]{1,100}))?$/;

function isMusicEndpoint(method: string, address: string): boolean {
  const [whole, id] = sunoPath.exec(address) ?? [];
  return whole !== undefined && method === (id === undefined ? 'POST' : 'GET');
}

/** @throws RelayError */
async function handleMusicTask(
  parts: TaskEndpointParts,
  principal: Principal,
  request: TaskEndpointRequest,
): Promise<string> {
  const [, id] = sunoPath.exec(request.path) ?? [];
  const data =
    id === undefined
      ? await encodeNamedTasks(parts, principal, 'suno', request)
      : encodeTaskResponse(parts, await findOwnTask(parts, principal, 'suno', id), request);
  return `{"code":"success","message":"","data":${data}}`;
}

/**
 * Endpoints by which clients of Kling query their videos.
 * https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo
 */

const klingPath = /^\/kling\/v1\/videos\/([\w-]{1,40})\/([\w-]{1,100})$/;

function isKlingEndpoint(method: string, address: string): boolean {
  return method === 'GET' && klingPath.test(address);
}

/** @throws RelayError */
async function handleKlingTask(
  parts: TaskEndpointParts,
  principal: Principal,
  request: TaskEndpointRequest,
): Promise<string> {
  const [, action, id = ''] = klingPath.exec(request.path) ?? [];
  const task = await findOwnTask(parts, principal, 'kling-videos', id);
  if (task.action !== action) throw new RelayError('not_found', `There is no task ${id}.`);
  return encodeTaskResponse(parts, task, request);
}

export interface TaskEndpointsParts extends MidjourneyEndpointsParts, VideoEndpointsParts {}

type MatchesEndpoint = (method: string, path: string) => boolean;

type HandleTask = (
  parts: TaskEndpointsParts,
  principal: Principal,
  request: TaskEndpointRequest,
) => Promise<string | undefined>;

const taskEndpoints: readonly (readonly [MatchesEndpoint, HandleTask])[] = [
  [isVideoEndpoint, handleVideo],
  [isMidjourneyEndpoint, handleMidjourneyTask],
  [isMusicEndpoint, handleMusicTask],
  [isKlingEndpoint, handleKlingTask],
];

export function isTaskEndpoint(method: string, path: string): boolean {
  return taskEndpoints.some(([serves]) => serves(method, path));
}

/** @returns JSON; undefined once the artifact itself was sent. @throws RelayError */
export async function handleTask(
  parts: TaskEndpointsParts,
  principal: Principal,
  request: TaskEndpointRequest,
): Promise<string | undefined> {
  const { message, path } = request;
  const handler = taskEndpoints.find(([serves]) => serves(message.method ?? '', path))?.[1];
  return handler?.(parts, principal, request);
}
