import type { Context } from '../context.ts';
import { pause } from '../platform/clock.ts';
import { type Change, updateOpen } from './task-store.ts';

/** Milliseconds within which the vendors' status updates are gathered into one commit. */
const GATHER_MS = 50;

/**
 * Creates a writer that gathers changes for 50 ms and commits them together.
 * @param stop makes the writer commit at once
 * @returns the writer; its promise resolves when the changes are committed
 */
export function createNewsWriter(
  ctx: Context,
  stop: AbortSignal,
): (changes: readonly Change[]) => Promise<void> {
  let gathered: Change[] = [];
  let written: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    await pause(ctx.clock, GATHER_MS, stop).catch(() => undefined);
    const changes = gathered;
    gathered = [];
    written = undefined;
    await updateOpen(ctx, changes);
  };
  return (changes) => {
    if (changes.length === 0) return Promise.resolve();
    gathered.push(...changes);
    written ??= writeAll();
    return written;
  };
}
