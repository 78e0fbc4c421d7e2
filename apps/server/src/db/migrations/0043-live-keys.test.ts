import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('finds the live keys of the previous version without its deleted ones', async () => {
  const key = (id: number, deleted = 'null') =>
    `(${id}, 1, 'k', 'hash ${id}', '', '', 'enabled', 0, 0, -1, 0, '', '', 0, '{}', ${deleted})`;
  const file = await writeOldDatabase(
    '0043-live-keys',
    `insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      role_since, created_time, last_login_time, last_login_ip)
      values (1, 'owner', '', '', '', '', 'user', 'enabled', 'default', 0, 0, 0, '');
    insert into api_key (id, user_id, name, key_hash, key_sealed, key_hint, status, created_time, accessed_time,
      expired_time, unlimited_quota, group_symbol, backup_group, api_rate, setting, deleted_time) values
      ${key(1)}, ${key(2, '90')}, ${key(3)}`,
  );
  const db = await openDatabase(file);
  const live = sql`from api_key where user_id = 1 and deleted_time is null`;
  expect((await sql`select id ${live} order by id`.execute(db.writer)).rows).toEqual([{ id: 1 }, { id: 3 }]);
  const { rows } = await sql<{ detail: string }>`explain query plan select count(*) ${live}`.execute(db.writer);
  expect(rows.map(({ detail }) => detail).join()).toContain('api_key_live');
  await db.close();
});
