import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('keys that staff disabled in the previous version are marked, all others stay as they are', async () => {
  const key = (id: number, status: string, deleted = 'null') =>
    `(${id}, 1, 'k', 'hash ${id}', '', '', '${status}', 0, 0, -1, 0, '', '', 0, '{}', ${deleted})`;
  const audited = (action: string, target: string) => `(100, 2, '${action}', '${target}', '{}', '', '')`;
  const file = await writeOldDatabase(
    '0042-keys-disabled-by-staff',
    `insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      role_since, created_time, last_login_time, last_login_ip)
      values (1, 'owner', '', '', '', '', 'user', 'enabled', 'default', 0, 0, 0, '');
    insert into api_key (id, user_id, name, key_hash, key_sealed, key_hint, status, created_time, accessed_time,
      expired_time, unlimited_quota, group_symbol, backup_group, api_rate, setting, deleted_time) values
      ${key(1, 'disabled')}, ${key(2, 'disabled')}, ${key(3, 'enabled')}, ${key(12, 'disabled')}, ${key(5, 'disabled', '90')};
    insert into audit_entry (created_at, user_id, action, target, detail, address, request_id) values
      ${audited('api-key.disable', 'api_key:1')}, ${audited('api-key.update', 'api_key:2')},
      ${audited('api-key.disable', 'api_key:3')}, ${audited('api-key.enable', 'api_key:3')},
      ${audited('api-key.disable', 'api_key:5')}, ${audited('user.disable', 'user:12')}`,
  );
  const db = await openDatabase(file);
  const keys = await db.writer.selectFrom('api_key').select(['id', 'status']).orderBy('id').execute();
  expect(keys).toEqual([
    { id: 1, status: 'disabled-by-staff' },
    { id: 2, status: 'disabled' },
    { id: 3, status: 'enabled' },
    { id: 5, status: 'disabled' },
    { id: 12, status: 'disabled' },
  ]);
  await db.close();
});
