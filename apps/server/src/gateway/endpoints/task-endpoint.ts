/** Parts that the task endpoints of all dialects share. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FormatId, tellTask } from '@switchyard/relay';
import type { TaskRow, Tasks } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import { readIds } from '../http/small-body.ts';
import type { Answering } from '../pipeline/respond.ts';
import type { Principal } from '../snapshot/authenticate.ts';

/** Parts of the gateway that the functions below need. */
export interface TaskEndpointParts {
  tasks: Tasks;
}

/** A question about what was made before. */
export interface Lookup extends Answering {
  message: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: URLSearchParams;
  address: string;
}

/** A question about tasks. */
export interface TaskLookup extends Lookup {
  /** The scheme and host by which the client reached this gateway. */
  site: string;
}

/** Returns the task as JSON in the dialect in which it was submitted. */
export function answerTaskRequest(
  { tasks }: TaskEndpointParts,
  task: TaskRow,
  { site }: Pick<TaskLookup, 'site'>,
): string {
  return tellTask(task.client_format, tasks.view(task, site), 'asker');
}

/** The asker's own, of that dialect. @throws RelayError */
export async function findOwn(
  { tasks }: TaskEndpointParts,
  { user }: Principal,
  format: FormatId,
  id: string,
): Promise<TaskRow> {
  const task = await tasks.find(user.id, id);
  if (task?.client_format === format) return task;
  throw new RelayError('not_found', `There is no task ${id}.`);
}

/** Resolves with the named tasks as JSON: those of that dialect that the caller owns, in the requested order. */
export async function answerTask(
  parts: TaskEndpointParts,
  { user }: Principal,
  format: FormatId,
  lookup: TaskLookup,
): Promise<string> {
  const ids = await readIds(lookup.message);
  const tasks = await parts.tasks.findAll(user.id, ids);
  const own = ids.flatMap((id) => tasks.filter((task) => task.id === id && task.client_format === format));
  return `[${own.map((task) => answerTaskRequest(parts, task, lookup)).join(',')}]`;
}
