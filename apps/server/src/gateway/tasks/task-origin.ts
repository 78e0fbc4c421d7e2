/** Resolves a submission that continues a task: it runs on the same account as that task. */

import { type ClientRequest, isModalTask, type RequestRoute, readParsedRequest } from '@switchyard/relay';
import { loadChannel, type VendorTokenCache } from '../../channels/registry/registry.ts';
import type { Context } from '../../context.ts';
import type { FindAccount, StoredStatusUpdate, TaskRow, Tasks, TaskTerms } from '../../tasks/tasks.ts';
import { RelayError } from '../http/relay-error.ts';
import { offersToGroup } from '../routing/channel-offers.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';
import type { GroupState, Snapshot } from '../snapshot/snapshot.ts';

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
 * @throws RelayError `not_found` when the user has no such task, or it did not succeed; `no_available_channel` when
 * its channel does not serve the token's groups; `model_not_found` when its channel does not offer the model
 */
export async function resolveTaskOrigin(
  { tasks, snapshot }: TaskOriginParts,
  ordering: RoutedRequest,
  route: RequestRoute,
): Promise<RoutedRequest> {
  const { request, principal, groups } = ordering;
  const { originId, action } = request.submission ?? {};
  if (originId === undefined) return ordering;
  const task = await tasks.find(principal.user.id, originId);
  if (task === undefined || !(action === 'modal' ? isAwaitingInput(task) : task.status === 'succeeded'))
    throw new RelayError('not_found', `There is no task ${originId.slice(0, 80)} to continue, or it did not succeed.`);
  const channel = snapshot.channel(task.channel_id);
  const group = groups.find(({ symbol }) => channel?.groups.has(symbol) === true);
  if (channel === undefined || group === undefined)
    throw new RelayError(
      'no_available_channel',
      'The channel of this task is disabled, or does not serve your group. Start a new task.',
    );
  const origin = {
    upstreamId: task.upstream_id,
    model: task.model,
    request: JSON.parse(task.request) as Record<string, unknown>,
    said: getVendorResponse(task),
    usage: (JSON.parse(task.terms) as TaskTerms).usage,
  };
  const submission = { ...route.submission, originId, origin };
  const continued = readParsedRequest({ ...route, submission }, request);
  const { model } = continued.facts;
  // The task may continue on a channel that its administrator pinned, whatever that offers.
  const isUnchecked = continued.submission?.isModelImplied === true || principal.pinnedChannelId === channel.id;
  if (!isUnchecked && !offersToGroup(channel, group.symbol, model))
    throw new RelayError(
      'model_not_found',
      `The channel of this task does not offer the model ${model.slice(0, 80)}. Choose another model.`,
      { param: 'model' },
    );
  return {
    request: continued,
    principal: { ...principal, pinnedChannelId: task.channel_id, pinnedKeyId: task.channel_key_id },
    groups: [group],
  };
}

/**
 * Returns whether the task waits for user input. Only a modal task does: its hold is released, and its answer is
 * charged.
 */
function isAwaitingInput({ action, ended_at, news }: TaskRow): boolean {
  return ended_at === null && isModalTask(action, getVendorResponse({ news }));
}

function getVendorResponse({ news }: Pick<TaskRow, 'news'>): StoredStatusUpdate['said'] {
  return (JSON.parse(news) as StoredStatusUpdate).said;
}

/** Returns a function that finds a task's account, even if its channel or key is no longer enabled. */
export function createFindAccount(ctx: Context, snapshot: Snapshot, tokens: VendorTokenCache): FindAccount {
  return async (channelId, keyId) => {
    const served = snapshot.channel(channelId);
    const inUse = served?.keys.find(({ id }) => id === keyId);
    const channel = served === undefined || inUse === undefined ? await loadChannel(ctx, channelId, keyId) : served;
    const target = inUse?.target ?? channel.target;
    return { target: { ...(await tokens.signIn(target, channel.proxy)), model: '' }, proxy: channel.proxy };
  };
}
