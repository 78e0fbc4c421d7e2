/** Artifacts as the console shows them: in its own pages, for their owner and for staff who read records. */
import { workIn } from '@switchyard/contract/tasks/tasks';
import { may } from '../../platform/http/caller.ts';
import { RelayError } from '../http/relay-error.ts';
import type { IdentifySession } from '../snapshot/session-principal.ts';
import { type SendArtifactParts, sendWork } from './send-artifact.ts';
import type { Lookup } from './task-endpoint.ts';

export function isArtifactPath(method: string, path: string): boolean {
  return method === 'GET' && workIn(path) !== undefined;
}

/** @throws RelayError */
export async function serveArtifact(
  parts: SendArtifactParts,
  identify: IdentifySession,
  lookup: Lookup,
): Promise<undefined> {
  const { message, path } = lookup;
  const { caller } = await identify(message, { method: 'GET', access: ['records.read', 'user'] });
  const { taskId, nth } = workIn(path) ?? { taskId: '', nth: 0 };
  const task = may(caller, 'records.read')
    ? await parts.tasks.findAnybodys(taskId)
    : await parts.tasks.find(caller.userId, taskId);
  if (task === undefined) throw new RelayError('not_found', 'There is no such artifact.');
  await sendWork(parts, lookup, { task, nth });
}
