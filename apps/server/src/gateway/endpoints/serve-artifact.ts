/** Artifacts in the console, for their owner and for staff who may read records. */

import { parseArtifactPath } from '@switchyard/contract/tasks/tasks';
import { STORED_ARTIFACT_PATH } from '../../artifacts/artifacts.ts';
import { hasAccess } from '../../platform/http/caller.ts';
import { RelayError } from '../http/relay-error.ts';
import type { IdentifySession } from '../snapshot/session-principal.ts';
import { type SendArtifactParts, sendArtifact } from './send-artifact.ts';
import { sendStoredArtifact } from './send-stored-artifact.ts';
import type { EndpointRequest, TaskEndpointRequest } from './task-endpoint.ts';

export function isArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && parseArtifactPath(path) !== undefined;
}

/** @throws RelayError */
export async function serveArtifact(
  parts: SendArtifactParts,
  identify: IdentifySession,
  request: EndpointRequest,
): Promise<undefined> {
  const { message, path } = request;
  const { caller } = await identify(message, { method: 'GET', access: ['records.read', 'user'] });
  const { taskId, nth } = parseArtifactPath(path) ?? { taskId: '', nth: 0 };
  const task = hasAccess(caller, 'records.read')
    ? await parts.tasks.findForAnyUser(taskId)
    : await parts.tasks.find(caller.userId, taskId);
  if (task === undefined) throw new RelayError('not_found', 'There is no such artifact.');
  await sendArtifact(parts, request, { task, index: nth });
}

/**
 * Stored artifacts under public addresses: anyone who knows an address may fetch the artifact, as other sites' pages
 * do.
 */

const plainId = /^[0-9a-f]{40}$/;

export function isStoredArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && path.startsWith(STORED_ARTIFACT_PATH);
}

/** @throws RelayError */
export async function handleStoredArtifact(parts: SendArtifactParts, request: TaskEndpointRequest): Promise<undefined> {
  const id = request.path.slice(STORED_ARTIFACT_PATH.length);
  const stored = plainId.test(id) ? await parts.artifactStore.find(id) : undefined;
  const task = stored?.task_id ? await parts.tasks.findForAnyUser(stored.task_id) : undefined;
  if (stored !== undefined && task !== undefined) await sendArtifact(parts, request, { task, index: stored.nth });
  else if (stored?.task_id !== null || !(await sendStoredArtifact(parts, request, stored)))
    throw new RelayError('not_found', 'There is no such artifact.');
}
