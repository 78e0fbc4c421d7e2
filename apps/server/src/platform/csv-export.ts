/** CSV tables for spreadsheets. */
import { setImmediate } from 'node:timers/promises';
import { csvCell } from '@switchyard/contract/csv';
import type { Timers } from './clock.ts';
import { AppError } from './http/app-error.ts';
import { getCurrentReader } from './http/caller.ts';
import { type AcquireSlot, createKeyedSemaphore } from './limits/keyed-semaphore.ts';
import { type ReadPage, streamPages } from './stream-pages-and-json.ts';

export function formatCsvLine(values: readonly (string | number)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** Formats as ISO 8601 in UTC. @param seconds UTC; null and 0 become empty */
export function formatCsvTime(seconds: number | null): string {
  return seconds === null || seconds === 0 ? '' : new Date(seconds * 1000).toISOString();
}

const EXPORT = { size: 2_000, most: 100_000 };
/** Rows that are formatted in a few milliseconds. */
const SLICE_ROWS = 100;

/** Formats many rows in slices, between which the event loop serves other requests. */
export async function formatCsvRows<Row>(
  rows: readonly Row[],
  read: (row: Row) => readonly (string | number)[],
): Promise<string> {
  let lines = '';
  for (let at = 0; at < rows.length; at += SLICE_ROWS) {
    if (at > 0) await setImmediate();
    for (const row of rows.slice(at, at + SLICE_ROWS)) lines += formatCsvLine(read(row));
  }
  return lines;
}

/**
 * Yields a table of at most 100,000 rows page by page.
 * @throws the error of the first page before anything is yielded, so that the export can still be refused
 */
export async function* streamCsv<Row, Shown>(
  columns: readonly (readonly [name: string, value: (row: Shown) => string | number])[],
  present: (row: Row) => Shown,
  readPage: ReadPage<Row>,
): AsyncGenerator<string> {
  let head = formatCsvLine(columns.map(([name]) => name));
  for await (const rows of streamPages(EXPORT, readPage)) {
    const lines = await formatCsvRows(rows, (row) => {
      const shown = present(row);
      return columns.map(([, value]) => value(shown));
    });
    yield head + lines;
    head = '';
  }
  if (head !== '') yield head;
}

/** Limit for the whole server, because each export holds its rows in memory. */
const CONCURRENT_EXPORTS = 2;
const EXPORT_WAIT_MS = 20_000;

interface Exports {
  /** Users with a running or waiting export. */
  users: Set<number | undefined>;
  enter: AcquireSlot;
}

/** Running exports of each server. */
const exportQueues = new WeakMap<object, Exports>();

/**
 * Runs an export for the current user: one per user, two for the server; other users' exports wait for up to 20
 * seconds.
 * @throws AppError `too-many-requests` while another export of the user runs, or after the wait
 */
export async function queueExport<T>(ctx: { clock: Timers }, make: () => Promise<T>): Promise<T> {
  const exports = exportQueues.get(ctx) ?? {
    users: new Set(),
    enter: createKeyedSemaphore(ctx.clock, CONCURRENT_EXPORTS, EXPORT_WAIT_MS, 'Exports of other users are running.'),
  };
  exportQueues.set(ctx, exports);
  const { users, enter } = exports;
  const user = getCurrentReader();
  if (users.has(user))
    throw new AppError('too-many-requests', 'Your previous export is still running. Try again when it has finished.', {
      retryAfterSeconds: 5,
    });
  users.add(user);
  try {
    const leave = await enter(0);
    try {
      return await make();
    } finally {
      leave();
    }
  } finally {
    users.delete(user);
  }
}
