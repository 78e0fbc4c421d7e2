import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { type Change, updateOpen } from './task-store.ts';

/** What many vendors say within this time is one commit. */
const GATHER_MS = 50;

/** @returns what writes changes; they are in the rows when its promise resolves */
export function createNewsWriter(ctx: Context): (changes: readonly Change[]) => Promise<void> {
  let gathered: Change[] = [];
  let written: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    await pause(GATHER_MS);
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
