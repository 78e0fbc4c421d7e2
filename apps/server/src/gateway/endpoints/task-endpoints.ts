/** Task endpoints: report the state of tasks to their owners in the dialect in which they were submitted. */

import type { Principal } from '../snapshot/authenticate.ts';
import { answerKlingTask, isKlingLookup } from './kling-endpoints.ts';
import { isDrawingLookup, lookUpDrawing, type MidjourneyEndpointsParts } from './midjourney-endpoints.ts';
import { isMusicLookup, lookUpMusic } from './music-endpoints.ts';
import type { TaskLookup } from './task-endpoint.ts';
import { isVideoLookup, lookUpVideo, type VideoEndpointsParts } from './video-endpoints.ts';

/** Parts of the gateway that the functions below need. */
export interface TaskEndpointsParts extends MidjourneyEndpointsParts, VideoEndpointsParts {}

type Serves = (method: string, path: string) => boolean;

type LookUp = (
  parts: TaskEndpointsParts,
  principal: Principal,
  lookup: TaskLookup,
) => Promise<string | undefined>;

const lookUps: readonly (readonly [Serves, LookUp])[] = [
  [isVideoLookup, lookUpVideo],
  [isDrawingLookup, lookUpDrawing],
  [isMusicLookup, lookUpMusic],
  [isKlingLookup, answerKlingTask],
];

export function isTaskLookup(method: string, path: string): boolean {
  return lookUps.some(([serves]) => serves(method, path));
}

/** @returns JSON; undefined once the artifact itself was sent. @throws RelayError */
export async function lookUpTask(
  parts: TaskEndpointsParts,
  principal: Principal,
  lookup: TaskLookup,
): Promise<string | undefined> {
  const { message, path } = lookup;
  const lookUp = lookUps.find(([serves]) => serves(message.method ?? '', path))?.[1];
  return lookUp?.(parts, principal, lookup);
}
