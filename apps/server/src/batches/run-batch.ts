/**
 * One batch from its file to the files of its answers: read → validate → have its vendor run it, or ask line after
 * line → write. Each answer is a row as soon as it is known, so that a restart goes on where the last process stopped.
 */
import type { Context } from '../context.ts';
import { newRequestId } from '../platform/request-id.ts';
import { filePath } from './batch-files.ts';
import { type BatchRow, eachUnanswered, noteAsked, noteInvalid, noteValid } from './batch-store.ts';
import type { BatchRun } from './batch-ways.ts';
import { forLines, type LineRun, lineRun } from './for-lines.ts';
import { type BatchProblem, type InputLine, requestIn, UnreadableInput } from './input-lines.ts';
import { isPassing, keepAnswer, lineOf, WAIT_MAX_SECONDS, waitFor } from './keep-answer.ts';
import { validateInput } from './validate-input.ts';
import { nowhere, runAtVendor } from './vendor-batch.ts';
import { writeAnswers } from './write-answers.ts';

type Running = Pick<Context, 'config' | 'db' | 'clock' | 'settings' | 'ledger' | 'log' | 'outbound'>;

export async function runBatch(ctx: Running, batch: BatchRow, run: BatchRun): Promise<void> {
  try {
    if (batch.in_progress_at === null && !(await validate(ctx, batch, run))) return;
    if (batch.status !== 'finalizing') {
      const tidy = await runAtVendor(ctx, batch, run);
      if (tidy === undefined) await askAll(ctx, { ...batch, ...nowhere }, run);
      if (run.stopped.aborted) return;
      await end(ctx, batch, run);
      tidy?.();
    } else await end(ctx, batch, run);
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    await end(ctx, batch, run, error.problem);
  }
}

/** What a vendor was to answer, and did not, is not held any more. */
async function end(
  ctx: Running,
  { id }: BatchRow,
  { ways }: BatchRun,
  problem?: BatchProblem,
): Promise<void> {
  await eachUnanswered(ctx, id, (requestId) => ways.release(requestId));
  await writeAnswers(ctx, id, problem);
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

async function askAll(ctx: Running, batch: BatchRow, run: BatchRun): Promise<void> {
  const lines = lineRun(ctx, [run.stopped, run.cancelled], batch.expires_at * 1000);
  await forLines(ctx, batch, lines, (line, before) =>
    askLine(ctx, batch, line, { ...run, ...lines, before }),
  );
}

interface AskedLine extends BatchRun, LineRun {
  /** The request with which an earlier run asked this line, whose answer it did not get. */
  before: string | undefined;
}

/** As long as it takes until what a node that died has held is given back, or charged. */
const ENDED_SECONDS = 60;

/** Another node, which has lost the batch, may still charge what it was answered. */
async function untilEnded({ db, clock }: Running, requestId: string, run: AskedLine): Promise<void> {
  for (let waited = 0; waited < ENDED_SECONDS && !run.isOver(); waited += 1) {
    const hold = db.writer.selectFrom('hold').select('request_id').where('lasting', '=', 0);
    if ((await hold.where('request_id', '=', requestId).executeTakeFirst()) === undefined) return;
    await waitFor(clock, 1, run.over);
  }
}

async function askLine(ctx: Running, batch: BatchRow, line: InputLine, run: AskedLine): Promise<void> {
  const request = requestIn(line);
  const body = Buffer.from(JSON.stringify(request.body));
  if (run.before !== undefined) await untilEnded(ctx, run.before, run);
  if (run.isOver()) return;
  const isPaid = run.before !== undefined && ((await ctx.ledger.chargeOf(run.before)) ?? 0) > 0;
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const requestId = newRequestId();
    const answer = await run.turns.take(batch.user_id, async () => {
      if (run.isOver()) return undefined;
      // What was charged stays noted, should this process die, too.
      if (isPaid || (await noteAsked(ctx, batch.id, line.number, requestId)))
        return run.ways.ask(batch, { requestId, body, isPaid });
      // The batch was removed with its owner's account, or cancelled just when it began.
      run.giveUp();
      return undefined;
    });
    if (answer === undefined) return;
    if (!isPassing(answer))
      return keepAnswer(ctx, batch, lineOf(line.number, requestId, request, answer), run.stopped);
    await waitFor(ctx.clock, Math.max(waitSeconds, answer.retryAfterSeconds), run.over);
    if (run.isOver()) return;
  }
}
