/**
 * Stores the response to a batch line: decides whether its error is temporary, serializes it, and retries until it is
 * stored.
 */
import { isLongJson } from '@switchyard/relay';
import { isObject, parseJson } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { sleep, type Timers } from '../platform/clock.ts';
import type { LineResponse } from './batch-relay.ts';
import { type BatchRow, type StoredLineResponse, storeLineResponse } from './batch-store.ts';
import type { LineSource } from './input-lines.ts';

type KeepContext = Pick<Context, 'db' | 'log' | 'clock'>;

/** Codes of temporary errors: rate limits of the gateway or of vendors, overload, shutdown. */
const temporaryErrorCodes: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'upstream_saturated',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
/**
 * Codes of temporary errors for a response that its vendor has already returned, so that no request is sent; a
 * channel may be disabled for a while.
 */
export const temporaryVendorErrorCodes: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'no_available_channel',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
export const WAIT_MAX_SECONDS = 60;

interface AnsweredLine {
  line: number;
  requestId: string;
  customId: string;
  answer: LineResponse;
}

/** Stores a response. Retries while the disk is full, so that a paid response isn't lost. */
export async function storeResponseWithRetry(
  ctx: KeepContext,
  batch: Pick<BatchRow, 'id'>,
  answer: StoredLineResponse,
  stopped: AbortSignal,
): Promise<void> {
  for (let waitSeconds = 1; ; waitSeconds *= 2) {
    try {
      return await storeLineResponse(ctx, batch.id, answer);
    } catch (error) {
      if (stopped.aborted) throw error;
      ctx.log.warn({ err: error, batch: batch.id }, 'a batch response could not be stored yet');
      await waitForRetry(ctx.clock, waitSeconds, stopped);
    }
  }
}

/** Waits; ends early when the signal aborts. */
export async function waitForRetry(timers: Timers, seconds: number, over: AbortSignal): Promise<void> {
  const ms = Math.min(seconds, WAIT_MAX_SECONDS) * 1000;
  await sleep(timers, ms, over).catch(() => undefined);
}

export function isTemporaryError({ status, body }: LineResponse, codes = temporaryErrorCodes): boolean {
  if (status < 400) return false;
  const answer = parseJson(body.toString());
  const error = isObject(answer) ? answer['error'] : undefined;
  return isObject(error) && typeof error['code'] === 'string' && codes.has(error['code']);
}

/** A long response is checked and serialized paced. */
export async function formatLineResponse(
  { runPaced }: Pick<LineSource, 'runPaced'>,
  { line, requestId, customId, answer }: AnsweredLine,
): Promise<StoredLineResponse> {
  const { status, body } = answer;
  const json = isLongJson(body) ? await runPaced(() => serializeBody(body)) : serializeBody(body);
  const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${json}}`;
  const output = `{"id":"batch_req_${requestId}","custom_id":${JSON.stringify(customId)},"response":${response},"error":null}`;
  return { line, isError: status >= 400, output };
}

function serializeBody(body: Buffer): string {
  const text = body.toString();
  // Line breaks within JSON are insignificant, but would end a line here.
  return parseJson(text) === undefined ? JSON.stringify(text) : text.replaceAll(/[\r\n]+/g, ' ');
}
