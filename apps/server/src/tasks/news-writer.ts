import type { Context } from '../context.ts';
import { pause } from '../platform/clock.ts';
import { type Change, updateOpen } from './task-store.ts';

/** What many vendors say within this time is one commit. */
const GATHER_MS = 50;

/**
 * @param stop writes what is gathered at once
 * @returns what writes changes; they are in the rows when its promise resolves
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
