/** Retries calls to a vendor's batch API, so that a short outage doesn't fail a batch. */
import { isObject } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { FileMissingError } from './batch-files.ts';
import type { BatchRun } from './batch-relay.ts';
import type { LineRun } from './for-each-line.ts';
import { WAIT_MAX_SECONDS, waitForRetry } from './store-line-response.ts';

const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
/** Statuses of servers that don't support the call. */
const notImplemented: ReadonlySet<number> = new Set([501, 505]);
/** The account has no credit, which waiting doesn't change. */
const NO_CREDIT = 'insufficient_quota';
/** Shorter than the lifetime of a temporary file (`removeOrphanFiles`), and much shorter than the day of a batch. */
const RETRY_PERIOD_MS = 1_500_000;

interface VendorReply {
  status: number;
  json: unknown;
}

/** Returns whether the effect of the call is unknown. */
export const isOutcomeUnknown = ({ status }: VendorReply): boolean =>
  status === REQUEST_TIMEOUT || (status >= 500 && !notImplemented.has(status));

/** Returns whether the vendor may accept the same call later. */
function isBusy(answer: VendorReply): boolean {
  return isOutcomeUnknown(answer) || (answer.status === TOO_MANY_REQUESTS && parseErrorCode(answer.json) !== NO_CREDIT);
}

function parseErrorCode(json: unknown): unknown {
  const error = isObject(json) ? json['error'] : undefined;
  return isObject(error) ? error['code'] : undefined;
}

/**
 * Resolves with undefined without a response.
 * @throws when the process stops, or when a local file is missing, which retries cannot fix
 */
export async function ignoreUnreachable<T>(
  { stopped }: Pick<BatchRun, 'stopped'>,
  response: Promise<T>,
): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (stopped.aborted || error instanceof FileMissingError) throw error;
    return undefined;
  }
}

/**
 * Repeats a call while the vendor is busy or unreachable, since giving up forfeits the batch price. After 25 minutes
 * the lines are sent one by one.
 * @returns undefined when the vendor stayed unreachable
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
