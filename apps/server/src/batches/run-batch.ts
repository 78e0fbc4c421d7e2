/**
 * Runs one batch from its input file to its output files: reads, validates, lets its vendor run it or sends it line
 * by line, and writes the responses. Each response is stored at once, so that a restart resumes where the last
 * process stopped.
 */
import type { Context } from '../context.ts';
import { newRequestId } from '../platform/http/request-id.ts';
import type { BatchRun } from './batch-relay-interface.ts';
import {
  type BatchRow,
  forEachUnansweredRequest,
  isLineAnswered,
  recordInvalid,
  recordLineRequest,
  recordValidated,
} from './batch-store.ts';
import { createLineRun, createLineSource, forEachLine, type LineRun } from './for-each-line.ts';
import {
  type BatchInputError,
  type InputLine,
  processLine,
  serializeRequestLine,
  UnreadableInputError,
} from './input-lines.ts';
import { NO_VENDOR_COLUMNS, runAtVendor } from './run-batch-at-vendor.ts';
import {
  isTemporaryError,
  LineOutput,
  storeResponseWithRetry,
  WAIT_MAX_SECONDS,
  waitForRetry,
} from './store-line-response.ts';
import { validateInput } from './validate-input.ts';
import { writeResponses } from './write-output-files.ts';

type RunContext = Pick<Context, 'config' | 'db' | 'clock' | 'settings' | 'ledger' | 'log' | 'outbound'>;

export async function runBatch(ctx: RunContext, batch: BatchRow, run: BatchRun): Promise<void> {
  try {
    if (batch.in_progress_at === null && !(await validate(ctx, batch, run))) return;
    if (batch.status !== 'finalizing') {
      const tidy = await runAtVendor(ctx, batch, run);
      if (tidy === undefined) await requestAllLines(ctx, { ...batch, ...NO_VENDOR_COLUMNS }, run);
      if (await finishBatch(ctx, batch, run)) tidy?.();
    } else await finishBatch(ctx, batch, run);
  } catch (error) {
    if (!(error instanceof UnreadableInputError)) throw error;
    await finishBatch(ctx, batch, run, error.inputError);
  }
}

/**
 * Ends the batch with its output files, and releases the holds of lines without a response.
 * @returns false when another node may run the batch, which then ends it
 */
function finishBatch(ctx: RunContext, batch: BatchRow, run: BatchRun, problem?: BatchInputError): Promise<boolean> {
  return run.fileLimiter.run(batch.user_id, async () => {
    if (!run.ownsLease()) return false;
    await forEachUnansweredRequest(ctx, batch.id, (requestId) => run.relay.release(requestId));
    await writeResponses(ctx, batch.id, createLineSource(ctx, batch, run.relay), run.stopped, problem);
    return true;
  });
}

/** @returns whether it may run. A batch that is cancelled meanwhile ends without any responses */
async function validate(ctx: RunContext, batch: BatchRow, run: BatchRun): Promise<boolean> {
  const signal = AbortSignal.any([run.stopped, run.cancelled]);
  const terms = { endpoint: batch.endpoint, lineMaxBytes: ctx.config.relayBodyMaxBytes, signal };
  const source = createLineSource(ctx, batch, run.relay);
  try {
    const found = await run.fileLimiter.run(batch.user_id, () => validateInput(source, terms));
    if ('problems' in found) await recordInvalid(ctx, batch.id, JSON.stringify(found.problems));
    else await recordValidated(ctx, batch.id, found);
    return 'total' in found;
  } catch (error) {
    if (!run.cancelled.aborted) throw error;
    await finishBatch(ctx, batch, run);
    return false;
  }
}

async function requestAllLines(ctx: RunContext, batch: BatchRow, run: BatchRun): Promise<void> {
  const lines = createLineRun(ctx, run, batch.expires_at * 1000);
  await forEachLine(ctx, batch, lines, (line, before) =>
    requestLine(ctx, batch, line, { ...run, ...lines, previousRequestId: before }),
  );
}

interface LineContext extends BatchRun, LineRun {
  /** Earlier request of this line, whose response is missing. */
  previousRequestId: string | undefined;
}

/** A charged response is stored right after its charge, even by a node that has lost the batch meanwhile. */
const KEPT_WITHIN_SECONDS = 10;

/**
 * Waits until the earlier request of a line has ended, which another node may still run and charge.
 * @returns whether the line has its response now
 */
async function isAnsweredElsewhere(ctx: RunContext, batchId: string, line: number, run: LineContext): Promise<boolean> {
  const { previousRequestId } = run;
  if (previousRequestId === undefined) return false;
  const hold = ctx.db.writer.selectFrom('hold').select('request_id');
  const open = hold.where('request_id', '=', previousRequestId).where('lasting', '=', 0);
  while ((await open.executeTakeFirst()) !== undefined) {
    await waitForRetry(ctx.clock, 1, run.stopSignal);
    if (run.isStopped()) return false;
  }
  for (let waited = 0; !(await isLineAnswered(ctx, batchId, line)); waited += 1) {
    if (waited >= KEPT_WITHIN_SECONDS || run.isStopped()) return false;
    if (((await ctx.ledger.readCharge(previousRequestId)) ?? 0) === 0) return false;
    await waitForRetry(ctx.clock, 1, run.stopSignal);
  }
  return true;
}

/**
 * Waits until the charge of a request is committed. Another node may have released the hold and send the line again;
 * a response that is stored without its charge would be free.
 * @returns false if the request is not charged, or this node has stopped before its charge is committed
 */
async function isChargeCommitted(ctx: RunContext, requestId: string, run: LineContext): Promise<boolean> {
  const entry = ctx.db.writer.selectFrom('ledger_entry').select('ref');
  const charge = entry.where('kind', '=', 'charge').where('ref', '=', requestId);
  // The ledger also knows charges that are decided and not committed yet.
  while ((await ctx.ledger.readCharge(requestId)) !== undefined) {
    const committed = await charge.executeTakeFirst().catch((error: unknown) => {
      ctx.log.warn({ err: error, request_id: requestId }, 'the charge of a batch line could not be read');
    });
    if (committed !== undefined) return true;
    if (run.stopped.aborted) return false;
    await waitForRetry(ctx.clock, 1, run.stopped);
  }
  return false;
}

/** Maximum free calls of a charged line. A user can cause temporary errors, for instance by a full memory share. */
const FREE_CALLS_MAX = 10;

async function requestLine(ctx: RunContext, batch: BatchRow, line: InputLine, run: LineContext): Promise<void> {
  const source = createLineSource(ctx, batch, run.relay);
  if ((await isAnsweredElsewhere(ctx, batch.id, line.number, run)) || run.isStopped()) return;
  let { previousRequestId } = run;
  let freeCalls = 0;
  for (let waitSeconds = 1; ; waitSeconds = Math.min(2 * waitSeconds, WAIT_MAX_SECONDS)) {
    const requestId = newRequestId();
    // The last request may be charged although its response was lost, or is a temporary error.
    const isPaid = previousRequestId !== undefined && ((await ctx.ledger.readCharge(previousRequestId)) ?? 0) > 0;
    if (isPaid) freeCalls += 1;
    const sent = await run.concurrencyLimiter.run(batch.user_id, async () => {
      if (run.isStopped()) return undefined;
      const { customId, body } = await processLine(source, line, (content) => serializeRequestLine(line, content));
      if (run.isStopped()) return undefined;
      // A charged request stays recorded, in case this process dies as well.
      if (isPaid || (await recordLineRequest(ctx, batch.id, { line: line.number, requestId, previousRequestId }))) {
        if (!isPaid) previousRequestId = requestId;
        const output = new LineOutput(ctx, batch, { line: line.number, requestId, customId }, run.stopped);
        const { storeLarge: storeLargeBody } = output;
        return { output, answer: await run.relay.sendRequest(batch, { requestId, body, isPaid, storeLargeBody }) };
      }
      // The batch was removed with its owner's account, or was cancelled just before.
      if (!(await isLineAnswered(ctx, batch.id, line.number))) run.stop();
      return undefined;
    });
    if (sent === undefined) return;
    const { output, answer } = sent;
    // The new owner of the batch sends the line again; only a paid response counts from here.
    if (!run.ownsLease() && (answer.status >= 400 || !(await isChargeCommitted(ctx, requestId, run)))) return;
    if (!isTemporaryError(answer) || freeCalls >= FREE_CALLS_MAX)
      return storeResponseWithRetry(ctx, batch, await output.format(source, answer), run.stopped);
    await waitForRetry(ctx.clock, Math.max(waitSeconds, answer.retryAfterSeconds), run.stopSignal);
    if (run.isStopped()) return;
  }
}
