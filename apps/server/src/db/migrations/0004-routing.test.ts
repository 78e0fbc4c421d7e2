import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('channels and groups of the version before lack nothing, go by weight, and begin a history', async () => {
  const file = await writeOldDatabase(
    '0004-routing',
    `insert into channel (id, name, provider, key_sealed, key_hint, base_url, options, models, groups, tag, model_mapping,
      headers_sealed, proxy_sealed, test_model, priority, weight, only_chat, status, disabled_reason, created_time, test_time,
      response_time, balance_micro_usd, balance_updated_time, deleted_time)
      values (7, 'eu', 'openai', 'sealed', 'abcd', '', '{}', '["gpt-4o"]', '["vip"]', 'prod', '{}', '', '',
      '', 5, 3, 1, 'auto-disabled', 'refused', 100, 0, 0, null, 0, null);
    insert into user_group (symbol, name, ratio_micros, api_rate, public, enable) values ('vip', 'VIP', 1500000, 60, 0, 1)`,
  );

  const db = await openDatabase(file);
  const channel = await db.writer.selectFrom('channel').selectAll().executeTakeFirstOrThrow();
  expect(channel).toMatchObject({
    id: 7,
    priority: 5,
    weight: 3,
    only_chat: 1,
    status: 'auto-disabled',
    disabled_reason: 'refused',
    lacks: '[]',
  });
  const group = await db.writer
    .selectFrom('user_group')
    .selectAll()
    .where('symbol', '=', 'vip')
    .executeTakeFirstOrThrow();
  expect(group).toMatchObject({ name: 'VIP', ratio_micros: 1_500_000, order: 'weight' });
  expect(await db.writer.selectFrom('channel_event').selectAll().execute()).toEqual([]);
  await db.close();
});
