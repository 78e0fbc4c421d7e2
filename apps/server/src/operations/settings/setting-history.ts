/** History of settings, from the audit log. */

import type { AuditEntryId } from '@switchyard/contract/ids';
import type { SettingChanges, settings } from '@switchyard/contract/operations/settings';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Context } from '../../context.ts';
import { readPage } from '../../db/paging.ts';

const detailSchema = z.object({
  changes: z.record(
    z.string(),
    z.union([z.enum(['set', 'cleared']), z.object({ before: z.string(), after: z.string() })]),
  ),
});

export function listHistory(
  ctx: Context,
  query: RouteInput<(typeof settings)['history']>['query'],
): Promise<Page<SettingChanges>> {
  let rows = ctx.db.reader
    .selectFrom('audit_entry')
    .leftJoin('user', 'user.id', 'audit_entry.user_id')
    .select(['audit_entry.id', 'audit_entry.created_at', 'audit_entry.detail', 'user.username'])
    // A literal, as in the partial index.
    .where(sql<boolean>`audit_entry.action = 'setting.update'`);
  const { key } = query;
  if (key !== undefined) rows = rows.where(sql<boolean>`instr(',' || audit_entry.target || ',', ${`,${key},`}) > 0`);
  return readPage(rows, query, {
    columns: { id: 'audit_entry.id' },
    fallback: '-id',
    tieBreak: 'audit_entry.id',
    present: ({ id, created_at, username, detail }) => ({
      id: id as AuditEntryId,
      created_at,
      username: username ?? '',
      changes: parseChanges(detail).filter((change) => key === undefined || change.key === key),
    }),
  });
}

/** Parses the changes of an entry; an entry of another format contains none. */
function parseChanges(detail: string): SettingChanges['changes'] {
  const parsed = detailSchema.safeParse(JSON.parse(detail));
  if (!parsed.success) return [];
  return Object.entries(parsed.data.changes).flatMap(([key, change]): SettingChanges['changes'] => {
    if (typeof change === 'string') return [{ key, before: null, after: null, secret: change }];
    // Saved without a change.
    if (change.before === change.after && isComplete(change.after)) return [];
    return [{ key, before: toCompleteValue(change.before), after: toCompleteValue(change.after), secret: null }];
  });
}

const toCompleteValue = (text: string): string | null => (isComplete(text) ? text : null);

/** Maximum length of a setting's value in the audit log, so that pages of Markdown do not fill it. */
const LENGTH_MAX = 10_000;
/** Maximum length of values in entries that an earlier version wrote. */
const OLD_LENGTH_MAX = 500;

export function truncateValue(text: string): string {
  return text.slice(0, LENGTH_MAX);
}

/**
 * Returns whether a stored value is complete. One of exactly the maximum length may have been truncated, and counts
 * as incomplete.
 */
function isComplete(shown: string): boolean {
  return shown.length < LENGTH_MAX && shown.length !== OLD_LENGTH_MAX;
}
