import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('accounts keep their session and access token, and administrators get the whole time of grace', async () => {
  const file = await writeOldDatabase(
    '0007-accounts',
    `insert into user (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      access_token_hash, created_time, last_login_time, last_login_ip, deleted_time)
    values
      (1, 'operator', 'hash', '', '', '', 'root', 'enabled', 'default', 'hash-of-token', 100, 0, '', null),
      (2, 'ada', 'hash', '', 'ada@example.com', '', 'user', 'enabled', 'default', null, 100, 0, '', null);
    insert into session (id_hash, user_id, created_time, last_seen_time, address, device, stepped_up_until)
      values ('session', 2, 100, 100, '', '', 0)`,
  );
  const before = Math.floor(Date.now() / 1000);
  const db = await openDatabase(file);
  const users = await db.writer.selectFrom('user').selectAll().orderBy('id').execute();
  expect(users).toMatchObject([
    { username: 'operator', email_verified_time: null, staff_role_id: null, aff_code: null },
    { username: 'ada', email: 'ada@example.com', email_verified_time: null },
  ]);
  expect(users[0]?.role_since).toBeGreaterThanOrEqual(before - 1);
  expect(users[0]).not.toHaveProperty('access_token_hash');
  expect(await db.writer.selectFrom('session').selectAll().execute()).toMatchObject([
    { id_hash: 'session', method: 'password' },
  ]);
  expect(await db.writer.selectFrom('access_token').selectAll().execute()).toMatchObject([
    { user_id: 1, token_hash: 'hash-of-token', scopes: '["*"]', read_only: 0, expires_time: 0 },
  ]);
  expect(await db.writer.selectFrom('staff_role').selectAll().execute()).toMatchObject([{ name: 'Support' }]);
  await db.close();
});
