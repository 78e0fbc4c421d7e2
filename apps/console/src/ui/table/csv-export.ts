import { csvCell } from '@switchyard/contract/csv';
import type { Page } from '@switchyard/contract/route';

const PAGE_SIZE = 100;
/** Limit of an export in the browser; larger exports need a server route. */
const MOST_ROWS = 20_000;

export type FetchPage<Row> = (page: number, size: number) => Promise<Page<Row>>;

/** Fetches all rows of a list page by page, up to the limit. */
export async function collectRows<Row>(fetchPage: FetchPage<Row>): Promise<{ rows: Row[]; complete: boolean }> {
  const rows: Row[] = [];
  for (let page = 1; rows.length < MOST_ROWS; page += 1) {
    const answer = await fetchPage(page, PAGE_SIZE);
    rows.push(...answer.data);
    if (answer.data.length === 0 || rows.length >= answer.total_count) return { rows, complete: true };
  }
  return { rows, complete: false };
}

/** Returns CSV by RFC 4180. Values other than strings and numbers are written as JSON; null is empty. */
export function toCsv(lines: readonly (readonly unknown[])[]): string {
  return lines.map((line) => line.map((value) => csvCell(textOf(value))).join(',')).join('\r\n');
}

function textOf(value: unknown): string | number {
  if (value === null || value === undefined) return '';
  return typeof value === 'number' || typeof value === 'string' ? value : JSON.stringify(value);
}

/** Downloads a text as a file. */
export function saveFile(name: string, text: string, type = 'text/csv;charset=utf-8'): void {
  // The byte order mark makes spreadsheets read UTF-8; JSON and Markdown must not have it.
  const mark = ['application/json', 'text/markdown'].includes(type) ? '' : '\ufeff';
  const url = URL.createObjectURL(new Blob([mark, text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
