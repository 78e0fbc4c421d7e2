/** Retries of calls to a vendor of batches, which must not lose a batch to one bad moment. */
import { isObject } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { FileMissing } from './batch-files.ts';
import type { BatchRun } from './batch-relay.ts';
import type { LineRun } from './for-each-line.ts';
import { WAIT_MAX_SECONDS, waitForRetry } from './store-line-response.ts';

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
/** Statuses by which servers say that they don't support the call. */
const notImplemented: ReadonlySet<number> = new Set([501, 505]);
/** The account has no credit, which does not pass by itself. */
const NO_CREDIT = 'insufficient_quota';
/** Less than a temporary file is kept for (`removeStrays`), and much less than the day of a batch. */
const RETRY_PERIOD_MS = 1_500_000;

interface VendorReply {
  status: number;
  json: unknown;
}

/** Returns whether nobody knows what the vendor did. */
export const isOutcomeUnknown = ({ status }: VendorReply): boolean =>
  status === REQUEST_TIMEOUT || (status >= 500 && !notImplemented.has(status));

/** Returns whether the vendor may accept the same call a little later. */
function isBusy(answer: VendorReply): boolean {
  return isOutcomeUnknown(answer) || (answer.status === TOO_MANY_REQUESTS && parseErrorCode(answer.json) !== NO_CREDIT);
}

function parseErrorCode(json: unknown): unknown {
  const error = isObject(json) ? json['error'] : undefined;
  return isObject(error) ? error['code'] : undefined;
}

/**
 * Resolves with undefined where no response came.
 * @throws when the process stops, or when a file of this server is gone, which does not come back by waiting
 */
export async function ignoreUnreachable<T>(
  { stopped }: Pick<BatchRun, 'stopped'>,
  response: Promise<T>,
): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (stopped.aborted || error instanceof FileMissing) throw error;
    return undefined;
  }
}

/**
 * Repeats a call while the vendor is busy or away: one bad moment must not cost the price of batches. After 25 minutes the
 * lines run one by one.
 * @returns undefined when the vendor stayed away
 */
export async function retryWhileBusy<T extends VendorReply>(
  ctx: Pick<Context, 'clock'>,
  run: LineRun,
  attempt: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const until = ctx.clock.elapsed() + RETRY_PERIOD_MS;
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const answer = await attempt();
    if (answer !== undefined && !isBusy(answer)) return answer;
    if (run.isStopped() || ctx.clock.elapsed() >= until) return answer;
    await waitForRetry(ctx.clock, waitSeconds, run.stopSignal);
    if (run.isStopped()) return answer;
  }
}
