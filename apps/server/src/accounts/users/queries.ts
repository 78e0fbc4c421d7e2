import type { User } from '@switchyard/contract/accounts/users';
import { toPoints } from '@switchyard/contract/money';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Schema } from '../../schema.ts';

/** Selects existing users with their accounts, without the password hash. */
export function selectUsers(db: Kysely<Schema>) {
  return db
    .selectFrom('user')
    .innerJoin('user_account', 'user_account.user_id', 'user.id')
    .leftJoin('staff_role', 'staff_role.id', 'user.staff_role_id')
    .where('user.deleted_time', 'is', null)
    .select([
      'user.id',
      'user.username',
      'user.display_name',
      'user.email',
      'user.avatar_url',
      'user.role',
      'user.status',
      'user.group_symbol',
      'user.created_time',
      'user.last_login_time',
      'user.last_login_ip',
      'user_account.used',
      'user_account.held',
      'user_account.requests',
      'user.email_verified_time',
      'user.language',
      'user.notices',
      'user.staff_role_id',
      'staff_role.permissions',
    ])
    .select(sql<number>`"user".password_hash <> ''`.as('has_password'))
    .select(sql<number | null>`(select changed_time from avatar where avatar.user_id = "user".id)`.as('avatar_time'))
    .select(sql<number>`user_account.balance - user_account.held`.as('available'))
    .select(
      sql<string>`(
        select json_group_array(difference || ' ' || found_at || ' ' || problem)
        from ledger_alarm where ledger_alarm.user_id = "user".id and acknowledged_at is null
      )`.as('alarms'),
    );
}

export type UserRow = Awaited<ReturnType<ReturnType<typeof selectUsers>['executeTakeFirstOrThrow']>>;

/** Parses a user's `ledger_alarms` column. */
export function parseDiscrepancies(column: string): User['ledger_alarms'] {
  return z
    .array(z.string())
    .parse(JSON.parse(column))
    .map((alarm) => {
      const [difference, foundAt, ...words] = alarm.split(' ');
      return { problem: words.join(' '), difference: toPoints(Number(difference)), found_at: Number(foundAt) };
    });
}
