/** The log as root reads it. */
import type { AuditEntry, audit } from '@switchyard/contract/audit';
import type { AuditEntryId, UserId } from '@switchyard/contract/ids';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';
import { csvLine, csvTime, oneExportAtATime } from '../../platform/csv.ts';
import { type EntryFilter, type EntryRow, selectEntries } from './queries.ts';

const ROWS_MAX = 100_000;
const CHUNK = 2_000;

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

/**
 * The newest matching entries, at most 100,000, as CSV.
 * @throws AppError `too-many-requests` while another export runs
 */
export function exportEntries(ctx: Context, filter: EntryFilter): Promise<string> {
  return oneExportAtATime(ctx, async () => {
    const parts = [
      csvLine(['id', 'time', 'user_id', 'username', 'action', 'target', 'detail', 'address', 'request_id']),
    ];
    let before = Number.MAX_SAFE_INTEGER;
    for (let count = 0; count < ROWS_MAX; count += CHUNK) {
      const rows = await selectEntries(ctx.db.reader, filter)
        .where('audit_entry.id', '<', before)
        .orderBy('audit_entry.id', 'desc')
        .limit(CHUNK)
        .execute();
      parts.push(...rows.map(lineOf));
      before = rows.at(-1)?.id ?? 0;
      if (rows.length < CHUNK) break;
    }
    return parts.join('');
  });
}

function lineOf(row: EntryRow): string {
  return csvLine([
    row.id,
    csvTime(row.created_at),
    row.user_id ?? '',
    row.username ?? '',
    row.action,
    row.target,
    row.detail,
    row.address,
    row.request_id,
  ]);
}

function present(row: EntryRow): AuditEntry {
  return {
    id: row.id as AuditEntryId,
    created_at: row.created_at,
    user_id: row.user_id as UserId | null,
    username: row.username ?? '',
    action: row.action,
    target: row.target,
    detail: detailSchema.parse(JSON.parse(row.detail)),
    address: row.address,
    request_id: row.request_id,
  };
}
