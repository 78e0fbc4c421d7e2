/** The end of a batch: what is answered, and what is not, in files. Begun anew when a process died over it. */
import type { Context } from '../context.ts';
import { createFile, filePath, type NewFile, newBatchId } from './batch-files.ts';
import { answersAfter, askedLines, type BatchRow, beginEnd, endBatch, removeLines } from './batch-store.ts';
import { type BatchProblem, linesOf, requestIn } from './input-lines.ts';
import type { BatchStatus } from './table.ts';

type Ending = Pick<Context, 'config' | 'db' | 'clock' | 'settings'>;

/** Number of responses written at once; each may be megabytes long. */
const ANSWERS_AT_ONCE = 10;

/** @param problem why what is not answered never will be */
export async function writeAnswers(ctx: Ending, id: string, problem?: BatchProblem): Promise<void> {
  const batch = await beginEnd(ctx, id);
  if (batch === undefined) return;
  const isCancelled = batch.cancelling_at !== null;
  const output = new Answers(ctx);
  const errors = new Answers(ctx);
  let isEnded = false;
  try {
    await writeAnswered(ctx, id, output, errors);
    const missing = batch.total - output.count - errors.count;
    if (missing > 0 && problem === undefined)
      await writeMissing(ctx, batch, errors, isCancelled ? cancelled : expired);
    isEnded = await endBatch(ctx, batch, {
      status: statusAfter(missing, isCancelled, problem),
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

function statusAfter(missing: number, isCancelled: boolean, problem: BatchProblem | undefined): BatchStatus {
  if (problem !== undefined) return 'failed';
  if (isCancelled) return 'cancelled';
  return missing > 0 ? 'expired' : 'completed';
}

const expired = {
  code: 'batch_expired',
  message: 'This request could not be executed before the completion window expired.',
};
const cancelled = {
  code: 'batch_cancelled',
  message: 'The batch was canceled before this request was executed.',
};

/** A file of answers; without any there is none. */
class Answers {
  readonly id = newBatchId('file-');
  count = 0;
  #file: NewFile | undefined;
  readonly #ctx: Ending;

  constructor(ctx: Ending) {
    this.#ctx = ctx;
  }

  async add(line: string): Promise<void> {
    this.#file ??= await createFile(this.#ctx, this.id);
    await this.#file.write(`${line}\n`);
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

async function writeAnswered(ctx: Ending, id: string, output: Answers, errors: Answers): Promise<void> {
  for (let last = 0; ; ) {
    const answers = await answersAfter(ctx, id, last, ANSWERS_AT_ONCE);
    for (const answer of answers) await (answer.is_error === 1 ? errors : output).add(answer.output);
    const newest = answers.at(-1);
    if (newest === undefined) return;
    last = newest.line;
  }
}

async function writeMissing(
  ctx: Ending,
  batch: BatchRow,
  errors: Answers,
  error: typeof expired,
): Promise<void> {
  const asked = await askedLines(ctx, batch.id);
  for await (const line of linesOf(filePath(ctx, batch.input_file_id), ctx.config.relayBodyMaxBytes)) {
    if (asked.get(line.number) === null) continue;
    const { customId: custom_id } = requestIn(line);
    await errors.add(JSON.stringify({ id: newBatchId('batch_req_'), custom_id, response: null, error }));
  }
}
