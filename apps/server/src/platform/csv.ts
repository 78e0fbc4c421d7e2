/** Tables for spreadsheets. */
import { csvCell } from '@switchyard/contract/csv';
import { AppError } from './app-error.ts';
import { type ReadPage, readPages } from './read-pages.ts';

export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** ISO 8601 in UTC. @param seconds UTC; null and 0 are no moment */
export function csvTime(seconds: number | null): string {
  return seconds === null || seconds === 0 ? '' : new Date(seconds * 1000).toISOString();
}

const EXPORT = { size: 2_000, most: 100_000 };

/** Yields a table of at most 100,000 rows page by page. */
export async function* csvPages<Row, Shown>(
  columns: readonly (readonly [name: string, value: (row: Shown) => string | number])[],
  present: (row: Row) => Shown,
  readPage: ReadPage<Row>,
): AsyncGenerator<string> {
  yield csvLine(columns.map(([name]) => name));
  for await (const rows of readPages(EXPORT, readPage))
    yield rows
      .map(present)
      .map((row) => csvLine(columns.map(([, value]) => value(row))))
      .join('');
}

/** Whose export is running. */
const running = new WeakSet<object>();

/**
 * @param owner the server that exports
 * @throws AppError `too-many-requests` while another export runs: each holds its rows in memory
 */
export async function oneExportAtATime<T>(owner: object, make: () => Promise<T>): Promise<T> {
  if (running.has(owner))
    throw new AppError('too-many-requests', 'Another export is running', { retryAfterSeconds: 5 });
  running.add(owner);
  try {
    return await make();
  } finally {
    running.delete(owner);
  }
}
