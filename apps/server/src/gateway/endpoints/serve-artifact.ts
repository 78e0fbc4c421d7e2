/** Artifacts as the console shows them: in its own pages, for their owner and for staff who read records. */
import { parseArtifactPath } from '@switchyard/contract/tasks/tasks';
import { hasAccess } from '../../platform/http/caller.ts';
import { RelayError } from '../http/relay-error.ts';
import type { IdentifySession } from '../snapshot/session-principal.ts';
import { type SendArtifactParts, sendArtifact } from './send-artifact.ts';
import type { EndpointRequest } from './task-endpoint.ts';

export function isArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && parseArtifactPath(path) !== undefined;
}

/** @throws RelayError */
export async function serveArtifact(
  parts: SendArtifactParts,
  identify: IdentifySession,
  lookup: EndpointRequest,
): Promise<undefined> {
  const { message, path } = lookup;
  const { caller } = await identify(message, { method: 'GET', access: ['records.read', 'user'] });
  const { taskId, nth } = parseArtifactPath(path) ?? { taskId: '', nth: 0 };
  const task = hasAccess(caller, 'records.read')
    ? await parts.tasks.findForAnyUser(taskId)
    : await parts.tasks.find(caller.userId, taskId);
  if (task === undefined) throw new RelayError('not_found', 'There is no such artifact.');
  await sendArtifact(parts, lookup, { task, index: nth });
}
