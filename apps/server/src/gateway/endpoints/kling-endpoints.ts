/**
 * Endpoints by which clients of Kling query their videos.
 * https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo
 */

import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import {
  encodeTaskResponse,
  findOwnTask,
  type TaskEndpointParts,
  type TaskEndpointRequest,
} from './task-endpoint.ts';

const path = /^\/kling\/v1\/videos\/([\w-]{1,40})\/([\w-]{1,100})$/;

export function isKlingEndpoint(method: string, address: string): boolean {
  return method === 'GET' && path.test(address);
}

/** @throws RelayError */
export async function handleKlingTask(
  parts: TaskEndpointParts,
  principal: Principal,
  lookup: TaskEndpointRequest,
): Promise<string> {
  const [, action, id = ''] = path.exec(lookup.path) ?? [];
  const task = await findOwnTask(parts, principal, 'kling-videos', id);
  if (task.action !== action) throw new RelayError('not_found', `There is no task ${id}.`);
  return encodeTaskResponse(parts, task, lookup);
}
