/** Parts that the task endpoints of all dialects share. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FormatId, tellTask } from '@switchyard/relay';
import type { TaskRow, Tasks } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import { readIds } from '../http/small-body.ts';
import { type SpacedWork, spacedByBytes } from '../limits/spaced-work.ts';
import type { Answering } from '../pipeline/respond.ts';
import type { Principal } from '../snapshot/authenticate.ts';

/** Parts of the gateway that the functions below need. */
export interface TaskEndpointParts {
  spaced: SpacedWork;
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
  { tasks }: Pick<TaskEndpointParts, 'tasks'>,
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
  const texts: string[] = [];
  for await (const { task, write } of eachTask(parts, user.id, ids, lookup))
    if (task.client_format === format) texts.push(await write());
  return `[${texts.join(',')}]`;
}

interface ReadTask {
  task: TaskRow;
  /** Resolves with what `answerTaskRequest` returns. */
  write: () => Promise<string>;
}

/** Yields the user's tasks among these, read one by one, and written in their time where they are long together. */
export async function* eachTask(
  { tasks, spaced }: TaskEndpointParts,
  userId: number,
  ids: readonly string[],
  lookup: Pick<TaskLookup, 'site'>,
): AsyncGenerator<ReadTask> {
  const inTime = spacedByBytes(spaced, userId);
  for (const id of ids) {
    const task = await tasks.find(userId, id);
    if (task === undefined) continue;
    const length = task.news.length + task.request.length + task.prompt.length;
    yield { task, write: () => inTime(length, () => answerTaskRequest({ tasks }, task, lookup)) };
  }
}
