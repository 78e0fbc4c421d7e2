import type { Context } from '../context.ts';
import { filePath } from './batch-files.ts';
import type { BatchRelay, BatchRun } from './batch-relay.ts';
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
  const requestIds = await readLineRequests(ctx, batch.id);
  const lines = readInputLines(filePath(ctx, batch.input_file_id), ctx.config.relayBodyMaxBytes);
  const lane = async (): Promise<void> => {
    for await (const line of lines) {
      if (run.isStopped()) return;
      const before = requestIds.get(line.number);
      if (before !== null) await work(line, before);
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
