import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('the accounts of the version before have no conversations, and can have some', async () => {
  const file = await writeOldDatabase(
    '0021-conversations',
    `insert into user (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      created_time, last_login_time, last_login_ip) values (5, 'before', 'x', '', '', '', 'user', 'enabled', 'default', 1, 0, '')`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('conversation').selectAll().execute()).toEqual([]);
  const row = { user_id: 5, title: 't', version: 1, created_time: 2, updated_time: 2, content: '{}' };
  await db.writer.insertInto('conversation').values(row).execute();
  const other = db.writer.insertInto('conversation').values({ ...row, user_id: 6 });
  await expect(other.execute()).rejects.toThrow('FOREIGN KEY');
  await db.close();
});
