/** Reads the audit log for root. */
import type { AuditEntryId, UserId } from '@switchyard/contract/ids';
import type { AuditEntry, audit } from '@switchyard/contract/operations/audit';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';
import { formatCsvTime, streamCsv } from '../../platform/csv.ts';
import { pickFields } from '../../platform/object-fields.ts';
import { type EntryFilter, type EntryRow, selectEntries } from './queries.ts';

const detailSchema = z.record(z.string(), z.unknown());

export function listEntries(
  ctx: Context,
  filter: RouteInput<(typeof audit)['list']>['query'],
): Promise<Page<AuditEntry>> {
  return readPage(selectEntries(ctx.db.reader, filter), filter, {
    columns: { id: 'audit_entry.id', created_at: 'audit_entry.created_at' },
    fallback: '-id',
    tieBreak: 'audit_entry.id',
    present,
  });
}

const csvColumns: readonly [string, (row: EntryRow) => string | number][] = [
  ['id', (row) => row.id],
  ['time', (row) => formatCsvTime(row.created_at)],
  ['user_id', (row) => row.user_id ?? ''],
  ['username', (row) => row.username ?? ''],
  ['action', (row) => row.action],
  ['target', (row) => row.target],
  ['detail', (row) => row.detail],
  ['address', (row) => row.address],
  ['request_id', (row) => row.request_id],
];

/** Yields the newest matching entries, at most 100,000, as CSV. */
export function exportEntries(ctx: Context, filter: EntryFilter): AsyncIterable<string> {
  const asStored = (row: EntryRow): EntryRow => row;
  return streamCsv(csvColumns, asStored, (last, size) =>
    selectEntries(ctx.db.reader, filter)
      .where('audit_entry.id', '<', last?.id ?? Number.MAX_SAFE_INTEGER)
      .orderBy('audit_entry.id', 'desc')
      .limit(size)
      .execute(),
  );
}

function present(row: EntryRow): AuditEntry {
  return {
    ...pickFields(row, ['created_at', 'action', 'target', 'address', 'request_id']),
    id: row.id as AuditEntryId,
    user_id: row.user_id as UserId | null,
    username: row.username ?? '',
    detail: detailSchema.parse(JSON.parse(row.detail)),
  };
}
