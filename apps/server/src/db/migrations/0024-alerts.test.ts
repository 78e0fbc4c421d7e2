import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('exhausted tokens of the previous version are no event; deliveries survive their target', async () => {
  const key = (id: number, isUnlimited: number) =>
    `(${id}, 1, 'k${id}', 'hash${id}', 'enabled', ${isUnlimited}, '', '', '', '', 0, 0, 0, -1, '{}', null)`;
  const file = await writeOldDatabase(
    '0024-alerts',
    `insert into user (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      created_time, last_login_time, last_login_ip, deleted_time)
      values (1, 'ada', 'hash', '', '', '', 'user', 'enabled', 'default', 100, 0, '', null);
    insert into api_key (id, user_id, name, key_hash, status, unlimited_quota, key_sealed, key_hint, group_symbol,
      backup_group, api_rate, created_time, accessed_time, expired_time, setting, deleted_time)
      values ${key(5, 0)}, ${key(6, 1)}, ${key(7, 0)};
    insert into key_account (api_key_id, remaining, held, used) values (5, 0, 0, 9), (6, 0, 0, 9), (7, 1, 0, 9)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('alert_mark').selectAll().execute()).toEqual([
    { event: 'key-spent', subject: '5', seen_time: 0 },
  ]);
  const destination = {
    id: 3,
    user_id: 1,
    type: 'slack',
    name: 'Team',
    config_sealed: 'sealed',
    events: '[]',
    enabled: 1,
    off_reason: '',
    failing_since: null,
    created_time: 1,
  } as const;
  await db.writer.insertInto('destination').values(destination).execute();
  const delivery = {
    lane: 'destination:3',
    destination_id: 3,
    user_id: 1,
    event: 'low-balance',
    type: 'slack',
    destination_name: 'Team',
    title: 'Low',
    text: 'Very',
    link: '',
    state: 'delivered',
    tries: 1,
    created_time: 1,
    next_try_time: null,
    ended_time: 1,
    last_answer: '200 ok',
  } as const;
  await db.writer.insertInto('delivery').values(delivery).execute();
  const first = { ...delivery, lane: 'mail:1', state: 'waiting', next_try_time: 1, ended_time: null } as const;
  await db.writer.insertInto('delivery').values(first).execute();
  for (const refused of [first, { ...delivery, next_try_time: 1 }])
    await expect(db.writer.insertInto('delivery').values(refused).execute()).rejects.toThrow('constraint');
  await db.writer.deleteFrom('delivery').where('lane', '=', 'mail:1').execute();
  await db.writer.deleteFrom('destination').execute();
  expect(await db.writer.selectFrom('delivery').selectAll().execute()).toEqual([
    { ...delivery, id: 1, destination_id: null },
  ]);
  await db.close();
});
