/**
 * One batch from its file to the files of its answers: read → validate → ask line after line → write. Each answer is a
 * row as soon as it is known, so that a restart goes on where the last process stopped.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isObject, parseJson } from '@switchyard/relay';
import type { Context } from '../context.ts';
import { nowSeconds } from '../platform/clock.ts';
import { newRequestId } from '../platform/request-id.ts';
import { filePath } from './batch-files.ts';
import {
  askedLines,
  type BatchRow,
  keepLine,
  type LineAnswer,
  noteAsked,
  noteInvalid,
  noteValid,
} from './batch-store.ts';
import { type BatchRequest, type InputLine, linesOf, requestIn, UnreadableInput } from './input-lines.ts';
import type { Turns } from './turns.ts';
import { validateInput } from './validate-input.ts';
import { writeAnswers } from './write-answers.ts';

export interface BatchAsk {
  requestId: string;
  body: Buffer;
  /** It was charged before, and its answer was lost. */
  isPaid: boolean;
}

export interface BatchAnswer {
  status: number;
  /** For which the gateway asks before another try; 0: it says nothing. */
  retryAfterSeconds: number;
  body: Buffer;
}

/** Asks as the batch's owner would, who pays. @throws when there is no answer */
export type AskForBatch = (batch: BatchRow, asked: BatchAsk) => Promise<BatchAnswer>;

export interface BatchRun {
  ask: AskForBatch;
  turns: Turns;
  /** Nobody wants more answers. */
  cancelled: AbortSignal;
  /** The process ends; another one goes on. */
  stopped: AbortSignal;
}

type Running = Pick<Context, 'config' | 'db' | 'clock' | 'settings' | 'ledger' | 'log'>;

/** Refusals that are over after a while: limits of the gateway or of vendors, a server that is busy or stops. */
const passing = new Set([
  'rate_limit_exceeded',
  'upstream_saturated',
  'overloaded',
  'storage_unavailable',
  'gateway_stopping',
]);
const WAIT_MAX_SECONDS = 60;

export async function runBatch(ctx: Running, batch: BatchRow, run: BatchRun): Promise<void> {
  try {
    if (batch.in_progress_at === null && !(await validate(ctx, batch, run))) return;
    if (batch.status !== 'finalizing') await askAll(ctx, batch, run);
    if (!run.stopped.aborted) await writeAnswers(ctx, batch.id);
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    await writeAnswers(ctx, batch.id, error.problem);
  }
}

/** @returns whether it may run */
async function validate(ctx: Running, batch: BatchRow, { stopped }: BatchRun): Promise<boolean> {
  const path = filePath(ctx, batch.input_file_id);
  const terms = { endpoint: batch.endpoint, lineMaxBytes: ctx.config.relayBodyMaxBytes, signal: stopped };
  const found = await validateInput(path, terms);
  if ('problems' in found) await noteInvalid(ctx, batch.id, JSON.stringify(found.problems));
  else await noteValid(ctx, batch.id, found);
  return 'total' in found;
}

/** As many at once as one user may, who may have other batches. */
async function askAll(ctx: Running, batch: BatchRow, run: BatchRun): Promise<void> {
  const givenUp = new AbortController();
  const over = AbortSignal.any([run.stopped, run.cancelled, givenUp.signal]);
  const asked = await askedLines(ctx, batch.id);
  const lines = linesOf(filePath(ctx, batch.input_file_id), ctx.config.relayBodyMaxBytes);
  const isOver = (): boolean => over.aborted || nowSeconds(ctx.clock) >= batch.expires_at;
  const giveUp = (): void => givenUp.abort();
  const lane = async (): Promise<void> => {
    for await (const line of lines) {
      if (isOver()) return;
      const before = asked.get(line.number);
      if (before !== null) await askLine(ctx, batch, line, { ...run, over, isOver, before, giveUp });
    }
  };
  const lanes = Array.from({ length: ctx.settings.batchRequestsPerUser }, () =>
    lane().catch((error: unknown) => {
      giveUp();
      throw error;
    }),
  );
  // All of them, so that nothing of this run goes on when the next one begins.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}

interface LineRun extends BatchRun {
  over: AbortSignal;
  isOver(): boolean;
  giveUp(): void;
  /** The request with which an earlier run asked this line, whose answer it did not get. */
  before: string | undefined;
}

async function askLine(ctx: Running, batch: BatchRow, line: InputLine, run: LineRun): Promise<void> {
  const request = requestIn(line);
  const body = Buffer.from(JSON.stringify(request.body));
  const isPaid = run.before !== undefined && (ctx.ledger.chargeOf(run.before) ?? 0) > 0;
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const requestId = newRequestId();
    const answer = await run.turns.take(batch.user_id, async () => {
      if (run.isOver()) return undefined;
      // What was charged stays noted, should this process die, too.
      if (isPaid || (await noteAsked(ctx, batch.id, line.number, requestId)))
        return run.ask(batch, { requestId, body, isPaid });
      // The batch was removed with its owner's account, or cancelled just when it began.
      run.giveUp();
      return undefined;
    });
    if (answer === undefined) return;
    if (!isPassing(answer)) return keep(ctx, batch, lineOf(line.number, requestId, request, answer), run);
    await waitFor(Math.max(waitSeconds, answer.retryAfterSeconds), run.over);
    if (run.isOver()) return;
  }
}

/** What was asked and paid for is not thrown away because the disk is full for a while. */
async function keep(ctx: Running, batch: BatchRow, answer: LineAnswer, { stopped }: BatchRun): Promise<void> {
  for (let waitSeconds = 1; ; waitSeconds *= 2) {
    try {
      return await keepLine(ctx, batch.id, answer);
    } catch (error) {
      if (stopped.aborted) throw error;
      ctx.log.warn({ err: error, batch: batch.id }, 'an answer for a batch could not be kept yet');
      await waitFor(waitSeconds, stopped);
    }
  }
}

/** Cut short when nobody wants to go on any more. */
async function waitFor(seconds: number, over: AbortSignal): Promise<void> {
  const ms = Math.min(seconds, WAIT_MAX_SECONDS) * 1000;
  await pause(ms, undefined, { signal: over }).catch(() => undefined);
}

function isPassing({ status, body }: BatchAnswer): boolean {
  if (status < 400) return false;
  const answer = parseJson(body.toString());
  const error = isObject(answer) ? answer['error'] : undefined;
  return isObject(error) && typeof error['code'] === 'string' && passing.has(error['code']);
}

function lineOf(line: number, requestId: string, { customId }: BatchRequest, { status, body }: BatchAnswer) {
  const said = body.toString();
  // Line breaks within JSON mean nothing, and here they end a line.
  const json = parseJson(said) === undefined ? JSON.stringify(said) : said.replaceAll(/[\r\n]+/g, ' ');
  const response = `{"status_code":${status},"request_id":${JSON.stringify(requestId)},"body":${json}}`;
  const output = `{"id":"batch_req_${requestId}","custom_id":${JSON.stringify(customId)},"response":${response},"error":null}`;
  return { line, isError: status >= 400, output };
}
