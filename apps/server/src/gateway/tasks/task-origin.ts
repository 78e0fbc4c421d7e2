/** An order that goes on from a task: it is made where that one was, of the account that has it. */
import {
  type ClientRequest,
  isModalTask,
  type RequestRoute,
  type ResponseHeaders,
  readRequest,
} from '@switchyard/relay';
import type { StoredStatusUpdate, TaskRow, Tasks } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate.ts';
import type { GroupState, Snapshot } from '../snapshot/snapshot.ts';

/** Parts of the gateway that the functions below need. */
export interface TaskOriginParts {
  snapshot: Snapshot;
  tasks: Tasks;
}

export interface RoutedRequest {
  request: ClientRequest;
  principal: Principal;
  groups: readonly GroupState[];
}

/**
 * @throws RelayError `not_found` when its owner has no such task, or it did not succeed; `no_available_channel` when its
 *   channel does not serve the groups of the token that asks
 */
export async function resolveTaskOrigin(
  { tasks, snapshot }: TaskOriginParts,
  ordering: RoutedRequest,
  route: RequestRoute,
  headers: ResponseHeaders,
): Promise<RoutedRequest> {
  const { request, principal, groups } = ordering;
  const { originId, action } = request.submission ?? {};
  if (originId === undefined) return ordering;
  const task = await tasks.find(principal.user.id, originId);
  if (task === undefined || !(action === 'modal' ? isAwaitingInput(task) : task.status === 'succeeded'))
    throw new RelayError(
      'not_found',
      `There is no task ${originId.slice(0, 80)} to continue, or it did not succeed.`,
    );
  const offered = snapshot.channel(task.channel_id)?.groups;
  const group = groups.find(({ symbol }) => offered?.has(symbol) === true);
  if (group === undefined)
    throw new RelayError('no_available_channel', 'The channel of this task does not serve your group.');
  const origin = {
    upstreamId: task.upstream_id,
    model: task.model,
    request: JSON.parse(task.request) as Record<string, unknown>,
    said: getVendorResponse(task),
  };
  return {
    request: readRequest(
      { ...route, submission: { ...route.submission, originId, origin } },
      request.body,
      headers,
    ),
    principal: { ...principal, pinnedChannelId: task.channel_id, pinnedKeyId: task.channel_key_id },
    groups: [group],
  };
}

/**
 * Returns whether the task waits for an answer. Only a modal task does: its hold is released, and its answer is
 * charged.
 */
function isAwaitingInput({ action, ended_at, news }: TaskRow): boolean {
  return ended_at === null && isModalTask(action, getVendorResponse({ news }));
}

function getVendorResponse({ news }: Pick<TaskRow, 'news'>): StoredStatusUpdate['said'] {
  return (JSON.parse(news) as StoredStatusUpdate).said;
}
