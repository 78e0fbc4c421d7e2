import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('channels of the previous version have all keys enabled and no caps, and know their daily costs', async () => {
  const file = await writeOldDatabase(
    '0013-channel-limits',
    `insert into user (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
      created_time, last_login_time, last_login_ip, aff_code)
      values (1, 'operator', 'hash', '', '', '', 'root', 'enabled', 'default', 100, 0, '', 'a');
    insert into channel (name, provider, key_sealed, key_hint, base_url, options, models, groups, tag, model_mapping,
      headers_sealed, proxy_sealed, test_model, priority, weight, only_chat, status, disabled_reason, created_time,
      test_time, response_time, balance_updated_time)
      values ('old', 'openai', 'sealed', '1234', '', '{}', '["gpt-4o"]', '["old"]', '', '{}', '', '', '', 3, 2, 1,
        'enabled', '', 100, 0, 0, 0);
    insert into stored_response (id, user_id, channel_id, created_time, expires_time, input, response)
      values ('resp_1', 1, 1, 100, 200, '[]', '{}');
    insert into usage_hour (hour, user_id, model, channel_id, requests, errors, quota, cost, costed_quota,
      prompt_tokens, completion_tokens, duration_ms)
      values (86400, 1, 'gpt-4o', 1, 2, 0, 100, 30, 60, 0, 0, 0), (90000, 1, 'gpt-4o', 1, 1, 0, 5, 0, 0, 0, 0, 0),
        (172800, 1, 'gpt-4o', 1, 1, 0, 7, 0, 0, 0, 0, 0), (86400, 1, 'gpt-4o', 0, 0, 1, 0, 0, 0, 0, 0, 0)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('channel_key_state').selectAll().execute()).toEqual([]);
  expect(await db.writer.selectFrom('stored_response').selectAll().executeTakeFirst()).toMatchObject({
    id: 'resp_1',
    key_id: null,
  });
  expect(await db.writer.selectFrom('channel').select('caps').executeTakeFirst()).toEqual({ caps: '{}' });
  expect(await db.writer.selectFrom('channel_day').selectAll().execute()).toEqual([
    { channel_id: 1, day: 86_400, spent: 75 },
    { channel_id: 1, day: 172_800, spent: 7 },
  ]);
  await db.close();
});
