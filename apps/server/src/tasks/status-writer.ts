import type { Context } from '../context.ts';
import { sleep } from '../platform/clock.ts';
import { type TaskChange, updateOpenTasks } from './task-store.ts';

/** Milliseconds within which the vendors' status updates are gathered into one commit. */
const BATCH_MS = 50;

/**
 * Creates a writer that gathers changes for 50 ms and commits them together.
 * @param stop makes the writer commit at once
 * @returns the writer; its promise resolves when the changes are committed
 */
export function createStatusWriter(
  ctx: Context,
  stop: AbortSignal,
): (changes: readonly TaskChange[]) => Promise<void> {
  let gathered: TaskChange[] = [];
  let written: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    await sleep(ctx.clock, BATCH_MS, stop).catch(() => undefined);
    const changes = gathered;
    gathered = [];
    written = undefined;
    await updateOpenTasks(ctx, changes);
  };
  return (changes) => {
    if (changes.length === 0) return Promise.resolve();
    gathered.push(...changes);
    written ??= writeAll();
    return written;
  };
}
