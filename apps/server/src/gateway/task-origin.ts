/** An order that goes on from a task: it is made where that one was, of the account that has it. */
import { type ClientRequest, type RequestRoute, type ResponseHeaders, readRequest } from '@switchyard/relay';
import type { Principal } from './authenticate.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { RelayError } from './relay-error.ts';

export interface Ordering {
  request: ClientRequest;
  principal: Principal;
}

/** @throws RelayError `not_found` when its owner has no such task, or it did not succeed */
export async function goOnFromTask(
  { tasks }: Pick<GatewayParts, 'tasks'>,
  { request, principal }: Ordering,
  route: RequestRoute,
  headers: ResponseHeaders,
): Promise<Ordering> {
  const { originId, action } = request.order ?? {};
  if (originId === undefined) return { request, principal };
  const task = await tasks.find(principal.user.id, originId);
  // A window that waits for its answer is one that has not ended.
  const isReady = action === 'modal' ? task?.ended_at === null : task?.status === 'succeeded';
  if (task === undefined || !isReady)
    throw new RelayError('not_found', `There is no such task ${originId.slice(0, 80)} to go on from.`);
  const origin = {
    upstreamId: task.upstream_id,
    model: task.model,
    request: JSON.parse(task.request) as Record<string, unknown>,
  };
  return {
    request: readRequest({ ...route, order: { ...route.order, originId, origin } }, request.body, headers),
    principal: { ...principal, pinnedChannelId: task.channel_id, pinnedKeyId: task.channel_key_id },
  };
}
