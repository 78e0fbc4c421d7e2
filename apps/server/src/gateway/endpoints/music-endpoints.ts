/** Endpoints by which clients of a Suno API proxy query their songs. https://github.com/Suno-API/Suno-API */

import type { Principal } from '../snapshot/authenticate.ts';
import {
  encodeNamedTasks,
  encodeTaskResponse,
  findOwnTask,
  type TaskEndpointParts,
  type TaskEndpointRequest,
} from './task-endpoint.ts';

const FORMAT = 'suno';
const path = /^\/suno\/fetch(?:\/([\w-]{1,100}))?$/;

export function isMusicEndpoint(method: string, address: string): boolean {
  const [whole, id] = path.exec(address) ?? [];
  return whole !== undefined && method === (id === undefined ? 'POST' : 'GET');
}

/** @throws RelayError */
export async function handleMusicTask(
  parts: TaskEndpointParts,
  principal: Principal,
  lookup: TaskEndpointRequest,
): Promise<string> {
  const [, id] = path.exec(lookup.path) ?? [];
  const data =
    id === undefined
      ? await encodeNamedTasks(parts, principal, FORMAT, lookup)
      : encodeTaskResponse(parts, await findOwnTask(parts, principal, FORMAT, id), lookup);
  return `{"code":"success","message":"","data":${data}}`;
}
