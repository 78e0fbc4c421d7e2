/** Endpoints by which clients of a Suno API proxy query their songs. https://github.com/Suno-API/Suno-API */

import type { Principal } from '../snapshot/authenticate.ts';
import {
  answerTask,
  answerTaskRequest,
  findOwn,
  type TaskEndpointParts,
  type TaskLookup,
} from './task-endpoint.ts';

const FORMAT = 'suno';
const path = /^\/suno\/fetch(?:\/([\w-]{1,100}))?$/;

export function isMusicLookup(method: string, address: string): boolean {
  const [whole, id] = path.exec(address) ?? [];
  return whole !== undefined && method === (id === undefined ? 'POST' : 'GET');
}

/** @throws RelayError */
export async function lookUpMusic(
  parts: TaskEndpointParts,
  principal: Principal,
  lookup: TaskLookup,
): Promise<string> {
  const [, id] = path.exec(lookup.path) ?? [];
  const data =
    id === undefined
      ? await answerTask(parts, principal, FORMAT, lookup)
      : answerTaskRequest(parts, await findOwn(parts, principal, FORMAT, id), lookup);
  return `{"code":"success","message":"","data":${data}}`;
}
