import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('keys of the previous version keep the choice of a channel', async () => {
  const file = await writeOldDatabase(
    '0044-keys-that-choose-channels',
    `insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      role_since, created_time, last_login_time, last_login_ip)
      values (1, 'owner', '', '', '', '', 'admin', 'enabled', 'default', 0, 0, 0, '');
    insert into api_key (id, user_id, name, key_hash, key_sealed, key_hint, status, created_time, accessed_time,
      expired_time, unlimited_quota, group_symbol, backup_group, api_rate, setting, deleted_time)
      values (1, 1, 'k', 'hash', '', '', 'enabled', 0, 0, -1, 1, '', '', 0, '{}', null)`,
  );
  const db = await openDatabase(file);
  const keys = await db.writer.selectFrom('api_key').select(['id', 'can_choose_channel']).execute();
  expect(keys).toEqual([{ id: 1, can_choose_channel: 1 }]);
  await db.close();
});
