/** Parts that the task endpoints of all dialects share. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type DialectId, encodeTask } from '@switchyard/relay';
import type { TaskRow, Tasks } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Query } from '../http/relay-paths.ts';
import { createPacedRunner, type PacedExecutor } from '../limits/paced-executor.ts';
import { readTaskIds } from '../limits/read-request-body.ts';
import type { ResponseContext } from '../pipeline/send-response.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';

export interface TaskEndpointParts {
  pacedExecutor: PacedExecutor;
  tasks: Tasks;
}

/** Request to an endpoint that reads what was created earlier. */
export interface EndpointRequest extends ResponseContext {
  message: IncomingMessage;
  response: ServerResponse;
  path: string;
  query: Query;
  address: string;
}

/** Request to an endpoint that reads tasks. */
export interface TaskEndpointRequest extends EndpointRequest {
  /** Scheme and host by which the client reached the gateway. */
  site: string;
}

/** Returns the task as JSON in the dialect in which it was submitted. */
export function encodeTaskResponse(
  { tasks }: Pick<TaskEndpointParts, 'tasks'>,
  task: TaskRow,
  { site }: Pick<TaskEndpointRequest, 'site'>,
): string {
  return encodeTask(task.client_format, tasks.present(task, site), 'asker');
}

/** Resolves with the caller's own task of that dialect. @throws RelayError */
export async function findOwnTask(
  { tasks }: TaskEndpointParts,
  { user }: Principal,
  format: DialectId,
  id: string,
): Promise<TaskRow> {
  const task = await tasks.find(user.id, id);
  if (task?.client_format === format) return task;
  throw new RelayError('not_found', `There is no task ${id}.`);
}

/** Resolves with the named tasks as JSON: those of that dialect that the caller owns, in the requested order. */
export async function encodeNamedTasks(
  parts: TaskEndpointParts,
  { user }: Principal,
  format: DialectId,
  request: TaskEndpointRequest,
): Promise<string> {
  const ids = await readTaskIds(request.message);
  const texts: string[] = [];
  for await (const { task, encode } of readOwnTasks(parts, user.id, ids, request))
    if (task.client_format === format) texts.push(await encode());
  return `[${texts.join(',')}]`;
}

interface ReadTask {
  task: TaskRow;
  /** Resolves with the result of `encodeTaskResponse`. */
  encode: () => Promise<string>;
}

/** Yields the named tasks that the user owns, read one by one; long lists are serialized by the paced executor. */
export async function* readOwnTasks(
  { tasks, pacedExecutor }: TaskEndpointParts,
  userId: number,
  ids: readonly string[],
  request: Pick<TaskEndpointRequest, 'site'>,
): AsyncGenerator<ReadTask> {
  const inTime = createPacedRunner(pacedExecutor, userId);
  for (const id of ids) {
    const task = await tasks.find(userId, id);
    if (task === undefined) continue;
    const length = task.news.length + task.request.length + task.prompt.length;
    yield { task, encode: () => inTime(length, () => encodeTaskResponse({ tasks }, task, request)) };
  }
}
