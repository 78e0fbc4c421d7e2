import type { audit } from '@switchyard/contract/operations/audit';
import type { RouteInput } from '@switchyard/contract/route';
import { type Kysely, sql } from 'kysely';
import { startsWith } from '../../db/paging.ts';
import type { Schema } from '../../schema.ts';

export type EntryFilter = RouteInput<(typeof audit)['export']>['query'];

/** Selects the entries that match a filter, with the name of the acting user, even a deleted one. */
export function selectEntries(db: Kysely<Schema>, filter: EntryFilter) {
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

export type EntryRow = Awaited<ReturnType<ReturnType<typeof selectEntries>['executeTakeFirstOrThrow']>>;

/** Builds a prefix condition as a range, which can use an index; `like` can't. */
function hasPrefix(column: string, text: string) {
  return sql<boolean>`(${sql.ref(column)} >= ${text} and ${sql.ref(column)} < ${`${text}\u{10ffff}`})`;
}
