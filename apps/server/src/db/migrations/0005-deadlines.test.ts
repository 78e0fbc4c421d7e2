import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('channels and groups of the version before keep their settings, and get the new ones at their defaults', async () => {
  const file = await writeOldDatabase(
    '0005-deadlines',
    `insert into user_group (symbol, name, ratio_micros, api_rate, public, enable)
      values ('old', 'Old', 1500000, 60, 1, 1);
    insert into channel (name, provider, key_sealed, key_hint, base_url, options, models, groups, tag, model_mapping,
      headers_sealed, proxy_sealed, test_model, priority, weight, only_chat, status, disabled_reason, created_time,
      test_time, response_time, balance_updated_time)
      values ('old', 'openai', 'sealed', '1234', '', '{}', '["gpt-4o"]', '["old"]', '', '{}', '', '', '', 3, 2, 1,
        'enabled', '', 100, 0, 0, 0)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('channel').selectAll().executeTakeFirst()).toMatchObject({
    name: 'old',
    priority: 3,
    weight: 2,
    only_chat: 1,
    deadlines: '{}',
  });
  expect(await db.writer.selectFrom('user_group').selectAll().executeTakeFirst()).toMatchObject({
    symbol: 'old',
    ratio_micros: 1_500_000,
    api_rate: 60,
    tokens_per_minute: 0,
  });
  expect(await db.writer.selectFrom('readiness').selectAll().execute()).toEqual([{ id: 1, tried_at: 0 }]);
  await db.close();
});
