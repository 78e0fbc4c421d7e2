/** Reads the audit log for root. */
import type { AuditEntryId, UserId } from '@switchyard/contract/ids';
import type { AuditEntry, audit } from '@switchyard/contract/operations/audit';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage, startsWith } from '../../db/paging.ts';
import { formatCsvTime, streamCsv } from '../../platform/csv-export.ts';
import { pickFields } from '../../platform/object-fields.ts';
import type { Schema } from '../../schema.ts';

type EntryFilter = RouteInput<(typeof audit)['export']>['query'];

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

/** Selects the entries that match a filter, with the name of the acting user, even a deleted one. */
function selectEntries(db: Kysely<Schema>, filter: EntryFilter) {
  let query = db
    .selectFrom('audit_entry')
    .leftJoin('user', 'user.id', 'audit_entry.user_id')
    .selectAll('audit_entry')
    .select('user.username');
  if (filter.user_id !== undefined) query = query.where('audit_entry.user_id', '=', filter.user_id);
  const { about_user } = filter;
  if (about_user !== undefined)
    query = query.where((eb) =>
      eb.or([eb('audit_entry.user_id', '=', about_user), eb('audit_entry.target', '=', `user:${about_user}`)]),
    );
  if (filter.username !== undefined) query = query.where(startsWith('user.username', filter.username));
  if (filter.action !== undefined) query = query.where(hasPrefix('audit_entry.action', filter.action));
  if (filter.target !== undefined) query = query.where(hasPrefix('audit_entry.target', filter.target));
  if (filter.start_timestamp !== undefined) query = query.where('audit_entry.created_at', '>=', filter.start_timestamp);
  if (filter.end_timestamp !== undefined) query = query.where('audit_entry.created_at', '<=', filter.end_timestamp);
  return query;
}

type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['executeTakeFirstOrThrow']>>;

/** Builds a prefix condition as a range, which can use an index; `like` can't. */
function hasPrefix(column: string, text: string) {
  return sql<boolean>`(${sql.ref(column)} >= ${text} and ${sql.ref(column)} < ${`${text}\u{10ffff}`})`;
}
