/** Calls a vendor's batch API, and retries the calls, so that a short outage doesn't fail a batch. */
import { readVendorBatch, type VendorBatch, type VendorBatchRequest } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { LARGE_ANSWER_BYTES } from '../platform/outbound/outbound.ts';
import type { TaskAccount } from '../tasks/tasks.ts';
import { FileMissingError } from './batch-files.ts';
import type { BatchRun } from './batch-relay-interface.ts';
import type { BatchRow } from './batch-store.ts';
import type { LineRun } from './for-each-line.ts';
import { WAIT_MAX_SECONDS, waitForRetry } from './store-line-response.ts';

const CALL_TIMEOUT_MS = 30_000;
const REQUEST_TIMEOUT = 408;
const TOO_MANY_REQUESTS = 429;
/** Statuses of servers that don't support the call. */
const notImplemented: ReadonlySet<number> = new Set([501, 505]);
/** The account has no credit, which waiting doesn't change. */
const NO_CREDIT = 'insufficient_quota';
/** Shorter than the lifetime of a temporary file (`removeOrphanFiles`), and much shorter than the day of a batch. */
const RETRY_PERIOD_MS = 1_500_000;

/** Batch and the account that runs it. */
export interface VendorRun {
  batch: BatchRow;
  account: TaskAccount;
}

interface VendorReply {
  status: number;
  json: unknown;
}

/** Returns whether the effect of the call is unknown. */
export const isOutcomeUnknown = ({ status }: VendorReply): boolean =>
  status === REQUEST_TIMEOUT || (status >= 500 && !notImplemented.has(status));

/** Returns whether the vendor may accept the same call later. */
export function isBusy(answer: VendorReply): boolean {
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

export function callVendor(
  ctx: Pick<Context, 'outbound'>,
  { account }: VendorRun,
  { body, ...rest }: VendorBatchRequest,
  { stopped }: BatchRun,
) {
  return ctx.outbound.fetchJson({
    ...rest,
    ...(body === undefined ? {} : { body }),
    proxy: account.proxy,
    timeoutMs: CALL_TIMEOUT_MS,
    signal: stopped,
    // A list of batches, each with its errors.
    maxBytes: LARGE_ANSWER_BYTES,
  });
}

/** @returns undefined when the vendor did not report the batch's state */
export async function callVendorBatch(
  ctx: Pick<Context, 'outbound' | 'log'>,
  there: VendorRun,
  question: VendorBatchRequest,
  run: BatchRun,
): Promise<VendorBatch | undefined> {
  try {
    const { status, json } = await callVendor(ctx, there, question, run);
    return status < 300 ? readVendorBatch(json) : undefined;
  } catch (error) {
    if (!run.stopped.aborted)
      ctx.log.warn({ err: error, batch: there.batch.id }, 'the status of a batch could not be fetched');
    return undefined;
  }
}
