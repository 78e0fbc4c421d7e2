/** Task endpoints: report the state of tasks to their owners in the dialect in which they were submitted. */

import type { Principal } from '../snapshot/authenticate.ts';
import { handleKlingTask, isKlingEndpoint } from './kling-endpoints.ts';
import {
  handleMidjourneyTask,
  isMidjourneyEndpoint,
  type MidjourneyEndpointsParts,
} from './midjourney-endpoints.ts';
import { handleMusicTask, isMusicEndpoint } from './music-endpoints.ts';
import type { TaskEndpointRequest } from './task-endpoint.ts';
import { handleVideo, isVideoEndpoint, type VideoEndpointsParts } from './video-endpoints.ts';

/** Parts of the gateway that the functions below need. */
export interface TaskEndpointsParts extends MidjourneyEndpointsParts, VideoEndpointsParts {}

type MatchesEndpoint = (method: string, path: string) => boolean;

type HandleTask = (
  parts: TaskEndpointsParts,
  principal: Principal,
  lookup: TaskEndpointRequest,
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
  lookup: TaskEndpointRequest,
): Promise<string | undefined> {
  const { message, path } = lookup;
  const lookUp = taskEndpoints.find(([serves]) => serves(message.method ?? '', path))?.[1];
  return lookUp?.(parts, principal, lookup);
}
