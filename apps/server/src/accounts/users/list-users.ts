import type { User, users } from '@switchyard/contract/accounts/users';
import type { Page, RouteInput } from '@switchyard/contract/route';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { readPage, startsWith } from '../../db/paging.ts';
import { formatCsvTime, streamCsv } from '../../platform/csv-export.ts';
import { selectUsers } from './queries.ts';
import { presentUser } from './users.ts';

type Filter = RouteInput<(typeof users)['export']>['query'];
type ListQuery = RouteInput<(typeof users)['list']>['query'];

const columns = {
  id: 'user.id',
  username: 'user.username',
  role: 'role_rank',
  status: 'user.status',
  created_time: 'user.created_time',
  last_login_time: 'user.last_login_time',
  last_login_ip: 'user.last_login_ip',
  quota: 'available',
  used_quota: 'user_account.used',
  request_count: 'user_account.requests',
};

export function listUsers(ctx: Context, query: ListQuery): Promise<Page<User>> {
  const rows = filtered(ctx, query).select(
    sql<number>`case "user".role when 'root' then 3 when 'admin' then 2 when 'staff' then 1 else 0 end`.as('role_rank'),
  );
  return readPage(rows, query, { columns, fallback: '-id', tieBreak: 'user.id', present: presentUser });
}

const csvColumns: readonly [string, (user: User) => string | number][] = [
  ['id', ({ id }) => id],
  ['username', ({ username }) => username],
  ['display_name', ({ display_name }) => display_name],
  ['email', ({ email }) => email],
  ['role', ({ role }) => role],
  ['status', ({ status }) => status],
  ['group', ({ group }) => group],
  ['quota', ({ quota }) => quota],
  ['held_quota', ({ held_quota }) => held_quota],
  ['used_quota', ({ used_quota }) => used_quota],
  ['request_count', ({ request_count }) => request_count],
  ['alarms', ({ ledger_alarms }) => ledger_alarms.length],
  ['created', ({ created_time }) => formatCsvTime(created_time)],
  ['last_login', ({ last_login_time }) => formatCsvTime(last_login_time)],
  ['last_login_ip', ({ last_login_ip }) => last_login_ip],
];

/** Yields the newest matching users, at most 100,000, as CSV. */
export function exportUsers(ctx: Context, filter: Filter): AsyncIterable<string> {
  return streamCsv(csvColumns, presentUser, (last, size) =>
    filtered(ctx, filter)
      .where('user.id', '<', last?.id ?? Number.MAX_SAFE_INTEGER)
      .orderBy('user.id', 'desc')
      .limit(size)
      .execute(),
  );
}

function filtered(ctx: Context, filter: Filter) {
  let query = selectUsers(ctx.db.reader);
  const { keyword, balance_min, balance_max, seen_after, seen_before, created_after, created_before } = filter;
  const available = sql<number>`user_account.balance - user_account.held`;
  if (filter.role !== undefined) query = query.where('user.role', '=', filter.role);
  if (filter.status !== undefined) query = query.where('user.status', '=', filter.status);
  if (filter.group !== undefined) query = query.where('user.group_symbol', '=', filter.group);
  if (balance_min !== undefined) query = query.where(available, '>=', balance_min);
  if (balance_max !== undefined) query = query.where(available, '<=', balance_max);
  if (filter.alarmed !== undefined) query = query.where(isAlarmed, '=', Number(filter.alarmed));
  if (seen_after !== undefined) query = query.where('user.last_login_time', '>=', seen_after);
  if (seen_before !== undefined) query = query.where('user.last_login_time', '<', seen_before);
  if (created_after !== undefined) query = query.where('user.created_time', '>=', created_after);
  if (created_before !== undefined) query = query.where('user.created_time', '<', created_before);
  if (keyword === undefined) return query;
  return query.where((eb) =>
    eb.or([
      ...(/^\d{1,15}$/.test(keyword) ? [eb('user.id', '=', Number(keyword))] : []),
      startsWith('user.username', keyword),
      startsWith('user.email', keyword),
      startsWith('user.display_name', keyword),
      startsWith('user.group_symbol', keyword),
    ]),
  );
}

const isAlarmed = sql<number>`exists (select 1 from ledger_alarm
  where ledger_alarm.user_id = "user".id and acknowledged_at is null)`;
