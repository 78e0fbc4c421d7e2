/**
 * How many tasks of a user may be open at once. Counted are those that are stored and the orders on their way, which are
 * in this process: no other serves the same database.
 */
import type { Settings } from '@switchyard/contract/settings';
import type { ClientRequest } from '@switchyard/relay';
import type { Tasks } from '../tasks/tasks.ts';
import type { Principal } from './authenticate.ts';
import { RelayError } from './relay-error.ts';

interface OrderCall {
  principal: Principal;
  requestId: string;
  request: ClientRequest;
}

export interface OpenOrders {
  /** Runs an order. @throws RelayError `rate_limit_exceeded` when its user has as many open tasks as the settings allow */
  run(order: OrderCall, work: () => Promise<void>): Promise<void>;
}

/** A task ends when its vendor has made it, which takes minutes. */
const RETRY_SECONDS = 60;

export function createOpenOrders(
  settings: () => Pick<Settings, 'openTasksPerUser'>,
  tasks: Pick<Tasks, 'openRequests'>,
): OpenOrders {
  const onTheirWay = new Map<number, Set<string>>();

  /** Whoever comes later finds this one, so that of two at once only one can miss the other. */
  const check = async (
    userId: number,
    requestIds: ReadonlySet<string>,
    answered: string | undefined,
  ): Promise<void> => {
    const { openTasksPerUser: most } = settings();
    if (most === 0) return;
    const before = [...requestIds];
    const stored = await tasks.openRequests(userId, most, answered);
    if (new Set([...before, ...stored]).size < most) return;
    throw new RelayError(
      'rate_limit_exceeded',
      `Your account may have ${most} tasks open at the same time, and has them; order again when one of them has ended.`,
      { retryAfterSeconds: RETRY_SECONDS },
    );
  };

  return {
    async run({ principal: { user }, requestId, request: { order } }, work) {
      const requestIds = onTheirWay.get(user.id) ?? new Set();
      // An answer takes the place of its window.
      const answered = order?.action === 'modal' ? order.originId : undefined;
      const checked = check(user.id, requestIds, answered);
      requestIds.add(requestId);
      onTheirWay.set(user.id, requestIds);
      try {
        await checked;
        await work();
      } finally {
        requestIds.delete(requestId);
        if (requestIds.size === 0) onTheirWay.delete(user.id);
      }
    },
  };
}
