/** Limits the open tasks of a user: stored tasks and running submissions on all nodes together. */
import type { Settings } from '@switchyard/contract/operations/settings';
import type { ClientRequest } from '@switchyard/relay';
import type { Tasks } from '../../tasks/tasks.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RecordingResponse } from '../http/recording-response.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate-api-key.ts';

interface SubmissionCall {
  principal: { user: Pick<Principal['user'], 'id'> };
  requestId: string;
  request: Pick<ClientRequest, 'submission'>;
  client: ClientResponse;
}

export interface OpenTasks {
  /**
   * Runs a submission with a client whose response ends only after the slot is released: the user may submit the next
   * task, or answer a modal one, as soon as the response arrives.
   * @throws RelayError `rate_limit_exceeded` when the user has reached the limit of open tasks
   */
  run(call: SubmissionCall, work: (client: ClientResponse) => Promise<void>): Promise<void>;
}

/** Tasks take minutes. */
const RETRY_SECONDS = 60;
/** Holds back the end of the response without recording it. */
const STORES_NOTHING = { maxBytes: 0, grow: () => {} };

export function createOpenTasks(
  settings: () => Pick<Settings, 'openTasksPerUser'>,
  tasks: Pick<Tasks, 'acquireSlot'>,
): OpenTasks {
  /** Ids of submissions that run in this process, by user id. */
  const running = new Map<number, Set<string>>();

  return {
    async run({ principal: { user }, requestId, request: { submission: order }, client }, work) {
      const { openTasksPerUser: most } = settings();
      if (most === 0) return work(client);
      const waiting = new RecordingResponse(client, STORES_NOTHING);
      const requestIds = running.get(user.id) ?? new Set();
      // Registered before the check, so that of two concurrent submissions at most one misses the other.
      const before = [...requestIds];
      requestIds.add(requestId);
      running.set(user.id, requestIds);
      try {
        // An answer to a modal task replaces that task.
        const replaced = order?.action === 'modal' ? order.originId : undefined;
        const submission = { userId: user.id, requestId, replacedTaskId: replaced };
        // The local check refuses a flood of one user without a database query.
        const slot = before.length < most ? await tasks.acquireSlot(submission, before, most) : undefined;
        if (slot === undefined) throw createLimitError(most);
        await work(waiting).finally(() => slot.release());
      } finally {
        requestIds.delete(requestId);
        if (requestIds.size === 0) running.delete(user.id);
      }
      waiting.release();
    },
  };
}

function createLimitError(most: number): RelayError {
  return new RelayError(
    'rate_limit_exceeded',
    `You have reached your limit of ${most} concurrent tasks. Retry when one finishes.`,
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
