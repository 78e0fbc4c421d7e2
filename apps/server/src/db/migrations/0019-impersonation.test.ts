import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('a session of the version before belongs to its user alone, and takes those made in it with it', async () => {
  const file = await writeOldDatabase(
    '0019-impersonation',
    `insert into user (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
        created_time, role_since, last_login_time, last_login_ip)
      values (1, 'root', '', '', '', '', 'root', 'enabled', 'default', 1, 1, 0, '');
    insert into session (id_hash, user_id, created_time, last_seen_time, address, device, stepped_up_until)
      values ('old', 1, 100, 100, '', '', 0)`,
  );
  const db = await openDatabase(file);
  const sessions = () => db.writer.selectFrom('session').select(['id_hash', 'parent_hash']).execute();
  expect(await sessions()).toEqual([{ id_hash: 'old', parent_hash: null }]);
  await db.writer
    .insertInto('session')
    .values({
      id_hash: 'within',
      user_id: 1,
      created_time: 200,
      last_seen_time: 200,
      address: '',
      device: '',
      stepped_up_until: 0,
      parent_hash: 'old',
    })
    .execute();
  await db.writer.deleteFrom('session').where('id_hash', '=', 'old').execute();
  expect(await sessions()).toEqual([]);
  await db.close();
});
