/** Ends a batch: writes responses and errors to files. Starts over when a process died meanwhile. */
import type { Context } from '../context.ts';
import { createFile, type FileWriter, newBatchId } from './batch-files.ts';
import { removeLines } from './batch-retention.ts';
import { type BatchRow, beginFinalizing, endBatch, listResponsesAfter } from './batch-store.ts';
import { UserConcurrencyLimiter } from './claim-batches.ts';
import { readUnansweredLines } from './for-each-line.ts';
import { type BatchInputError, type LineSource, parseRequestLine, processLine } from './input-lines.ts';
import { readLinePieces } from './store-line-response.ts';
import type { BatchStatus } from './table.ts';

type WriteContext = Pick<Context, 'config' | 'db' | 'clock' | 'settings'>;

/** Lets one page of responses at a time be in memory, regardless of its batch: each response may have a megabyte. */
const pageLimiter = new UserConcurrencyLimiter(() => 1);
const EVERYBODY = 0;

/**
 * @param problem reason why the remaining lines get no response
 * @throws when the signal aborts; the next process then starts over
 */
export async function writeResponses(
  ctx: WriteContext,
  id: string,
  source: LineSource,
  stopped: AbortSignal,
  problem?: BatchInputError,
): Promise<void> {
  const batch = await beginFinalizing(ctx, id);
  if (batch === undefined) return;
  const isCancelled = batch.cancelling_at !== null;
  const output = new ResponseFileWriter(ctx, stopped);
  const errors = new ResponseFileWriter(ctx, stopped);
  let isEnded = false;
  try {
    await writeStoredResponses(ctx, id, output, errors);
    const missing = batch.total - output.count - errors.count;
    if (missing > 0 && problem === undefined)
      await writeMissingResponses(ctx, batch, source, errors, isCancelled ? cancelledError : expiredError);
    isEnded = await endBatch(ctx, batch, {
      status: deriveFinalStatus(missing, isCancelled, problem),
      errors: problem === undefined ? null : JSON.stringify([problem]),
      failed: errors.count,
      output: await output.close(),
      error: await errors.close(),
    });
  } finally {
    if (!isEnded) {
      await output.discard();
      await errors.discard();
    }
  }
  await removeLines(ctx, id);
}

function deriveFinalStatus(missing: number, isCancelled: boolean, problem: BatchInputError | undefined): BatchStatus {
  if (problem !== undefined) return 'failed';
  if (isCancelled) return 'cancelled';
  return missing > 0 ? 'expired' : 'completed';
}

const expiredError = {
  code: 'batch_expired',
  message: 'This request could not be executed before the completion window expired.',
};
const cancelledError = { code: 'batch_cancelled', message: 'The batch was canceled before this request was executed.' };

/** Output file; it is only created for the first line. */
class ResponseFileWriter {
  readonly id = newBatchId('file-');
  count = 0;
  #file: FileWriter | undefined;
  readonly #ctx: WriteContext;
  readonly #stopped: AbortSignal;

  constructor(ctx: WriteContext, stopped: AbortSignal) {
    this.#ctx = ctx;
    this.#stopped = stopped;
  }

  /** @param pieces one line */
  async add(pieces: Iterable<string> | AsyncIterable<string>): Promise<void> {
    this.#stopped.throwIfAborted();
    this.#file ??= await createFile(this.#ctx, this.id);
    let last = '';
    for await (const piece of pieces) {
      if (last !== '') await this.#file.write(last);
      last = piece;
    }
    await this.#file.write(`${last}\n`);
    this.count += 1;
  }

  async close(): Promise<{ id: string; bytes: number } | undefined> {
    await this.#file?.close();
    return this.#file && { id: this.id, bytes: this.#file.bytes };
  }

  async discard(): Promise<void> {
    await this.#file?.discard();
  }
}

async function writeStoredResponses(
  ctx: WriteContext,
  id: string,
  output: ResponseFileWriter,
  errors: ResponseFileWriter,
): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const after: number = last;
    last = await pageLimiter.run(EVERYBODY, async () => {
      const answers = await listResponsesAfter(ctx, id, after);
      for (const answer of answers) {
        const pieces = answer.output === '' ? readLinePieces(ctx, id, answer.request_id) : [answer.output];
        await (answer.is_error === 1 ? errors : output).add(pieces);
      }
      return answers.at(-1)?.line;
    });
  }
}

async function writeMissingResponses(
  ctx: WriteContext,
  batch: BatchRow,
  source: LineSource,
  errors: ResponseFileWriter,
  error: typeof expiredError,
): Promise<void> {
  for await (const { line } of readUnansweredLines(ctx, batch)) {
    const custom_id = await processLine(source, line, (content) => parseRequestLine(line, content).customId);
    await errors.add([JSON.stringify({ id: newBatchId('batch_req_'), custom_id, response: null, error })]);
  }
}
