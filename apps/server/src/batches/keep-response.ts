/** The answer to a line of a batch: whether it is the last word, how it is written, and that it is not lost. */
import { isObject, parseJson } from '@switchyard/relay/json';
import type { Context } from '../context.ts';
import { pause, type Timers } from '../platform/clock.ts';
import type { BatchAnswer } from './batch-routes.ts';
import { type BatchRow, keepLine, type LineAnswer } from './batch-store.ts';
import type { BatchRequest } from './input-lines.ts';

type Keeping = Pick<Context, 'db' | 'log' | 'clock'>;

/** Refusals that are over after a while: limits of the gateway or of vendors, a server that is busy or stops. */
const passing: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'upstream_saturated',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
/** The same of what its vendor has answered, by which nothing is asked any more; a channel may be switched off for a while. */
export const passingOnceAnswered: ReadonlySet<string> = new Set([
  'rate_limit_exceeded',
  'no_available_channel',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
export const WAIT_MAX_SECONDS = 60;

/** Stores a response. Retries while the disk is full, so that a response that was paid for isn't lost. */
export async function keepAnswer(
  ctx: Keeping,
  batch: Pick<BatchRow, 'id'>,
  answer: LineAnswer,
  stopped: AbortSignal,
): Promise<void> {
  for (let waitSeconds = 1; ; waitSeconds *= 2) {
    try {
      return await keepLine(ctx, batch.id, answer);
    } catch (error) {
      if (stopped.aborted) throw error;
      ctx.log.warn({ err: error, batch: batch.id }, 'a batch response could not be stored yet');
      await waitFor(ctx.clock, waitSeconds, stopped);
    }
  }
}

/** Cut short when nobody wants to go on any more. */
export async function waitFor(timers: Timers, seconds: number, over: AbortSignal): Promise<void> {
  const ms = Math.min(seconds, WAIT_MAX_SECONDS) * 1000;
  await pause(timers, ms, over).catch(() => undefined);
}

export function isPassing({ status, body }: BatchAnswer, codes = passing): boolean {
  if (status < 400) return false;
  const answer = parseJson(body.toString());
  const error = isObject(answer) ? answer['error'] : undefined;
  return isObject(error) && typeof error['code'] === 'string' && codes.has(error['code']);
}

export function lineOf(
  line: number,
  requestId: string,
  { customId }: BatchRequest,
  { status, body }: BatchAnswer,
) {
  const said = body.toString();
  // Line breaks within JSON mean nothing, and here they end a line.
  const json = parseJson(said) === undefined ? JSON.stringify(said) : said.replaceAll(/[\r\n]+/g, ' ');
  const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${json}}`;
  const output = `{"id":"batch_req_${requestId}","custom_id":${JSON.stringify(customId)},"response":${response},"error":null}`;
  return { line, isError: status >= 400, output };
}
