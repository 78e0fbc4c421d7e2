/**
 * One batch from its file to the files of its answers: read → validate → have its vendor run it, or ask line after
 * line → write. Each answer is a row as soon as it is known, so that a restart goes on where the last process stopped.
 */
import type { Context } from '../context.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import { filePath } from './batch-files.ts';
import type { BatchRun } from './batch-routes.ts';
import {
  type BatchRow,
  eachUnanswered,
  isAnswered,
  recordInvalid,
  recordLineRequest,
  recordValidated,
} from './batch-store.ts';
import { forLines, type LineRun, lineRun } from './for-lines.ts';
import { type BatchProblem, type InputLine, requestIn, UnreadableInput } from './input-lines.ts';
import { isPassing, keepAnswer, lineOf, WAIT_MAX_SECONDS, waitFor } from './keep-response.ts';
import { validateInput } from './validate-input.ts';
import { nowhere, runAtVendor } from './vendor-batch.ts';
import { writeAnswers } from './write-responses.ts';

type Running = Pick<Context, 'config' | 'db' | 'clock' | 'settings' | 'ledger' | 'log' | 'outbound'>;

export async function runBatch(ctx: Running, batch: BatchRow, run: BatchRun): Promise<void> {
  try {
    if (batch.in_progress_at === null && !(await validate(ctx, batch, run))) return;
    if (batch.status !== 'finalizing') {
      const tidy = await runAtVendor(ctx, batch, run);
      if (tidy === undefined) await askAll(ctx, { ...batch, ...nowhere }, run);
      if (!run.isOurs()) return;
      await end(ctx, batch, run);
      tidy?.();
    } else await end(ctx, batch, run);
  } catch (error) {
    if (!(error instanceof UnreadableInput)) throw error;
    await end(ctx, batch, run, error.problem);
  }
}

/** Ends the batch with its output files, and releases the holds of lines without a response. */
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
  if ('problems' in found) await recordInvalid(ctx, batch.id, JSON.stringify(found.problems));
  else await recordValidated(ctx, batch.id, found);
  return 'total' in found;
}

async function askAll(ctx: Running, batch: BatchRow, run: BatchRun): Promise<void> {
  const lines = lineRun(ctx, run, batch.expires_at * 1000);
  await forLines(ctx, batch, lines, (line, before) =>
    askLine(ctx, batch, line, { ...run, ...lines, before }),
  );
}

interface AskedLine extends BatchRun, LineRun {
  /** The request with which an earlier run asked this line, whose answer it did not get. */
  before: string | undefined;
}

/** A response that was charged is kept right after its charge, by a node that may have lost the batch meanwhile. */
const KEPT_WITHIN_SECONDS = 10;

/**
 * Waits until the earlier request of a line has ended, which another node may still run and charge.
 * @returns whether the line has its response now
 */
async function isAnsweredElsewhere(
  ctx: Running,
  batchId: string,
  line: number,
  run: AskedLine,
): Promise<boolean> {
  const { before } = run;
  if (before === undefined) return false;
  const hold = ctx.db.writer.selectFrom('hold').select('request_id');
  const open = hold.where('request_id', '=', before).where('lasting', '=', 0);
  while ((await open.executeTakeFirst()) !== undefined) {
    await waitFor(ctx.clock, 1, run.over);
    if (run.isOver()) return false;
  }
  for (let waited = 0; !(await isAnswered(ctx, batchId, line)); waited += 1) {
    if (waited >= KEPT_WITHIN_SECONDS || run.isOver()) return false;
    if (((await ctx.ledger.chargeOf(before)) ?? 0) === 0) return false;
    await waitFor(ctx.clock, 1, run.over);
  }
  return true;
}

async function askLine(ctx: Running, batch: BatchRow, line: InputLine, run: AskedLine): Promise<void> {
  const request = requestIn(line);
  const body = Buffer.from(JSON.stringify(request.body));
  if ((await isAnsweredElsewhere(ctx, batch.id, line.number, run)) || run.isOver()) return;
  const isPaid = run.before !== undefined && ((await ctx.ledger.chargeOf(run.before)) ?? 0) > 0;
  let { before } = run;
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const requestId = newRequestId();
    const answer = await run.turns.take(batch.user_id, async () => {
      if (run.isOver()) return undefined;
      // What was charged stays noted, should this process die, too.
      if (isPaid || (await recordLineRequest(ctx, batch.id, { line: line.number, requestId, before }))) {
        if (!isPaid) before = requestId;
        return run.ways.ask(batch, { requestId, body, isPaid });
      }
      // The batch was removed with its owner's account, or cancelled just when it began.
      if (!(await isAnswered(ctx, batch.id, line.number))) run.giveUp();
      return undefined;
    });
    if (answer === undefined) return;
    // The node that runs the batch now asks the line again; only a response that was paid for counts from here.
    if (answer.status >= 400 && !run.isOurs()) return;
    if (!isPassing(answer))
      return keepAnswer(ctx, batch, lineOf(line.number, requestId, request, answer), run.stopped);
    await waitFor(ctx.clock, Math.max(waitSeconds, answer.retryAfterSeconds), run.over);
    if (run.isOver()) return;
  }
}
