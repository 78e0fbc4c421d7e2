import type { Context } from '../context.ts';
import { CHUNK_ROWS } from '../db/process-in-chunks.ts';
import { filePath } from './batch-files.ts';
import type { BatchRelay, BatchRun } from './batch-relay-interface.ts';
import { type BatchRow, readLineRequests } from './batch-store.ts';
import { type InputLine, type LineSource, readInputLines } from './input-lines.ts';

export interface LineRun {
  /** Aborts when no further line may begin, which also ends waits. */
  stopSignal: AbortSignal;
  isStopped(): boolean;
  stop(): void;
}

/** @param until UTC ms at which the run ends. @param isCancellable whether cancelling the batch ends the run */
export function createLineRun(
  { clock }: Pick<Context, 'clock'>,
  { stopped, cancelled, ownsLease }: Pick<BatchRun, 'stopped' | 'cancelled' | 'ownsLease'>,
  until: number,
  isCancellable = true,
): LineRun {
  const givenUp = new AbortController();
  const over = AbortSignal.any([stopped, givenUp.signal, ...(isCancellable ? [cancelled] : [])]);
  return {
    stopSignal: over,
    isStopped: () => over.aborted || clock.now() >= until || !ownsLease(),
    stop: () => givenUp.abort(),
  };
}

/** Returns the input file of a batch. */
export function createLineSource(
  ctx: Pick<Context, 'config'>,
  { user_id, input_file_id }: Pick<BatchRow, 'user_id' | 'input_file_id'>,
  relay: Pick<BatchRelay, 'runPaced'>,
): LineSource {
  return { path: filePath(ctx, input_file_id), runPaced: (work) => relay.runPaced(user_id, work) };
}

/** Line without a response. */
interface UnansweredLine {
  line: InputLine;
  /** Id of the line's earlier request. */
  requestId: string | undefined;
}

/**
 * Yields the lines without a response. It reads the requests of a few lines at a time: a batch can have 50,000, and a
 * hundred batches of one user may run.
 */
export async function* readUnansweredLines(
  ctx: Pick<Context, 'config' | 'db'>,
  batch: Pick<BatchRow, 'id' | 'input_file_id'>,
): AsyncGenerator<UnansweredLine> {
  let requestIds: ReadonlyMap<number, string | null> = new Map();
  let last = 0;
  for await (const line of readInputLines(filePath(ctx, batch.input_file_id), ctx.config.relayBodyMaxBytes)) {
    if (line.number > last) {
      last = line.number + CHUNK_ROWS - 1;
      requestIds = await readLineRequests(ctx, batch.id, { first: line.number, last });
    }
    const requestId = requestIds.get(line.number);
    if (requestId !== null) yield { line, requestId };
  }
}

/**
 * Processes the lines without a response, with the concurrency that one user may have across batches.
 * @param work gets the id of the line's earlier request that has no response
 */
export async function forEachLine(
  ctx: Pick<Context, 'config' | 'db' | 'settings'>,
  batch: Pick<BatchRow, 'id' | 'input_file_id'>,
  run: LineRun,
  work: (line: InputLine, before: string | undefined) => Promise<void>,
): Promise<void> {
  const lines = readUnansweredLines(ctx, batch);
  const lane = async (): Promise<void> => {
    for await (const { line, requestId } of lines) {
      if (run.isStopped()) return;
      await work(line, requestId);
    }
  };
  const lanes = Array.from({ length: ctx.settings.batchRequestsPerUser }, () =>
    lane().catch((error: unknown) => {
      run.stop();
      throw error;
    }),
  );
  // Waits for all of them, so that none continues when the next run begins.
  await Promise.allSettled(lanes);
  await Promise.all(lanes);
}
