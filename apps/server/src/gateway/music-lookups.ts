/** What clients of a Suno API proxy ask about their songs. https://github.com/Suno-API/Suno-API */
import { tellTask } from '@switchyard/relay';
import type { TaskRow } from '../tasks/tasks.ts';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { RelayError } from './relay-error.ts';
import { readIds } from './small-body.ts';
import type { TaskLookup } from './task-lookup.ts';

const path = /^\/suno\/fetch(?:\/([\w-]{1,100}))?$/;

export function isMusicLookup(method: string, address: string): boolean {
  const [whole, id] = path.exec(address) ?? [];
  return whole !== undefined && method === (id === undefined ? 'POST' : 'GET');
}

/** @throws RelayError */
export async function lookUpMusic(
  parts: GatewayParts,
  { user }: Principal,
  lookup: TaskLookup,
): Promise<string> {
  const [, id] = path.exec(lookup.path) ?? [];
  if (id === undefined) return listSongs(parts, user.id, lookup);
  const task = await parts.tasks.find(user.id, id);
  if (task?.client_format !== 'suno') throw new RelayError('not_found', `There is no task ${id}.`);
  return envelope(shown(parts, task));
}

/** Those that are the user's own, in the order in which they were asked for. */
async function listSongs(parts: GatewayParts, userId: number, { message }: TaskLookup): Promise<string> {
  const ids = await readIds(message);
  const tasks = await parts.tasks.findAll(userId, ids);
  const songs = ids.flatMap((id) => tasks.filter((task) => task.id === id && task.client_format === 'suno'));
  return envelope(`[${songs.map((task) => shown(parts, task)).join(',')}]`);
}

function shown({ tasks }: GatewayParts, task: TaskRow): string {
  return tellTask(task.client_format, tasks.view(task), 'asker');
}

const envelope = (data: string): string => `{"code":"success","message":"","data":${data}}`;
