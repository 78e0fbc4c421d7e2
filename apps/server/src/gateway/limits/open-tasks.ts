/** The limit of open tasks of a user: those that are stored, and submissions on their way, on all nodes together. */
import type { Settings } from '@switchyard/contract/operations/settings';
import type { ClientRequest } from '@switchyard/relay';
import type { Tasks } from '../../tasks/tasks.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { RecordingResponse } from '../http/recording-response.ts';
import { RelayError } from '../http/relay-error.ts';
import type { Principal } from '../snapshot/authenticate.ts';

interface SubmissionCall {
  principal: { user: Pick<Principal['user'], 'id'> };
  requestId: string;
  request: Pick<ClientRequest, 'submission'>;
  client: ClientResponse;
}

export interface OpenTasks {
  /**
   * Runs a submission with a client whose response ends only after the slot is released: the user may submit the next task,
   * or answer a modal one, as soon as the response arrives.
   * @throws RelayError `rate_limit_exceeded` when its user has as many open tasks as the settings allow
   */
  run(call: SubmissionCall, work: (client: ClientResponse) => Promise<void>): Promise<void>;
}

/** A task ends when its vendor has made it, which takes minutes. */
const RETRY_SECONDS = 60;
/** The end of the response is held back, and nothing of it is stored. */
const STORES_NOTHING = { maxBytes: 0, grow: () => {} };

export function createOpenTasks(
  settings: () => Pick<Settings, 'openTasksPerUser'>,
  tasks: Pick<Tasks, 'acquireSlot'>,
): OpenTasks {
  /** Requests that submit tasks and run in this process, by user id. */
  const running = new Map<number, Set<string>>();

  return {
    async run({ principal: { user }, requestId, request: { submission: order }, client }, work) {
      const { openTasksPerUser: most } = settings();
      if (most === 0) return work(client);
      const waiting = new RecordingResponse(client, STORES_NOTHING);
      const requestIds = running.get(user.id) ?? new Set();
      // A later submission finds this one, so that of two at once only one can miss the other.
      const before = [...requestIds];
      requestIds.add(requestId);
      running.set(user.id, requestIds);
      try {
        // The answer to a modal task replaces it.
        const replaced = order?.action === 'modal' ? order.originId : undefined;
        const submission = { userId: user.id, requestId, replacedTaskId: replaced };
        // A flood of one user is refused here, and asks no database.
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
