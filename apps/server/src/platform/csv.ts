/** Tables for spreadsheets. */
import { csvCell } from '@switchyard/contract/csv';
import { AppError } from './app-error.ts';

export function csvLine(values: readonly (string | number)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}

/** ISO 8601 in UTC. @param seconds UTC; null and 0 are no moment */
export function csvTime(seconds: number | null): string {
  return seconds === null || seconds === 0 ? '' : new Date(seconds * 1000).toISOString();
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
