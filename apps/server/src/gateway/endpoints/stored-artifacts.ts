/** Stored works under addresses of their own: for whoever knows one, as in pages of others. */
import { STORED_ARTIFACT_PATH } from '../../artifacts/artifacts.ts';
import { RelayError } from '../http/relay-error.ts';
import { type SendArtifactParts, sendArtifact } from './send-artifact.ts';
import { sendStoredArtifact } from './send-stored-artifact.ts';
import type { TaskEndpointRequest } from './task-endpoint.ts';

const plainId = /^[0-9a-f]{40}$/;

export function isStoredArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && path.startsWith(STORED_ARTIFACT_PATH);
}

/** @throws RelayError */
export async function handleStoredArtifact(
  parts: SendArtifactParts,
  lookup: TaskEndpointRequest,
): Promise<undefined> {
  const id = lookup.path.slice(STORED_ARTIFACT_PATH.length);
  const stored = plainId.test(id) ? await parts.artifactStore.find(id) : undefined;
  const task = stored?.task_id ? await parts.tasks.findForAnyUser(stored.task_id) : undefined;
  if (stored !== undefined && task !== undefined)
    await sendArtifact(parts, lookup, { task, index: stored.nth });
  else if (stored?.task_id !== null || !(await sendStoredArtifact(parts, lookup, stored)))
    throw new RelayError('not_found', 'There is no such artifact.');
}
