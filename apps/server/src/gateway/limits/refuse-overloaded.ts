import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { RelayError } from '../http/relay-error.ts';

const RETRY_SECONDS = 2;

/**
 * Refuses a request while the gateway sheds load. Called before any other work for the request. @throws RelayError
 * `overloaded`
 */
export function refuseOverloaded(overload: OverloadMonitor): void {
  if (!overload.shedding) return;
  overload.countRefusal();
  throw new RelayError('overloaded', `The gateway is overloaded. Retry in ${RETRY_SECONDS} seconds.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
